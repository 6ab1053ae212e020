import type { Vote } from './client'
import { el } from './element'

interface Words {
  helped: string
  yes: string
  no: string
}

/**
 * Asks below an answer of the bot whether it helped. `send` transmits the vote; if that fails, the
 * vote is undone.
 */
export function voteRow(words: Words, voted: Vote | null, send: (vote: Vote) => Promise<unknown>, failed: () => void): HTMLElement {
  const row = el('div', { class: 'vote', role: 'group', 'aria-label': words.helped }, el('span', {}, words.helped))
  const buttons = { up: el('button', { type: 'button' }, words.yes), down: el('button', { type: 'button' }, words.no) }
  let arrived = voted
  let last = 0
  const show = (vote: Vote | null) => {
    for (const [name, button] of Object.entries(buttons)) button.setAttribute('aria-pressed', String(name === vote))
  }
  const press = async (vote: Vote) => {
    const turn = ++last
    show(vote)
    try {
      await send(vote)
      arrived = vote
    } catch {
      if (turn !== last) return
      show(arrived)
      failed()
    }
  }
  buttons.up.onclick = () => void press('up')
  buttons.down.onclick = () => void press('down')
  show(voted)
  row.append(buttons.up, buttons.down)
  return row
}
