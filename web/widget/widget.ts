import { Client, Refusal, type Config, type Message, type Session, type Shared } from './client'
import { el } from './element'
import { linked } from './links'
import { searchBox } from './search'
import { newId, Note } from './state'
import { style } from './style'
import { texts, type Language } from './texts'
import { voteRow } from './vote'

const bubble = 'M4 4h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H9l-5 4v-4H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z'
/** The eight-pointed star and its rays, in a field of 48. */
const star =
  'M24 6 29.2 11.2H36.8V18.8L42 24 36.8 29.2V36.8H29.2L24 42 18.8 36.8H11.2V29.2L6 24 11.2 18.8V11.2H18.8ZM24 6V-6M24 42v12M6 24H-6M42 24h12M11.2 11.2 0 0M36.8 11.2 48 0M11.2 36.8 0 48M36.8 36.8 48 48'
const typingLasts = 6000
const typingEvery = 3000

/** Creates an SVG element. */
function draw(tag: string, attributes: Record<string, string>, ...children: Node[]): SVGElement {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  node.append(...children)
  return node
}

/** The stars behind the header. They are drawn, not fetched, because a page may forbid images. */
function stars(): SVGElement {
  const tile = draw('pattern', { id: 'k-stars', width: '48', height: '48', patternUnits: 'userSpaceOnUse' }, draw('path', { d: star, fill: 'none', stroke: 'currentColor' }))
  return draw('svg', { class: 'stars', 'aria-hidden': 'true' }, tile, draw('rect', { width: '100%', height: '100%', fill: 'url(#k-stars)' }))
}

class Widget {
  private readonly t
  private readonly words
  private readonly launch: HTMLButtonElement
  private readonly panel: HTMLElement
  private readonly log = el('div', { class: 'log', role: 'log', 'aria-live': 'polite', tabindex: '0' })
  private readonly line = el('p', { class: 'note', role: 'status' })
  private readonly note = new Note((text, bad) => {
    this.line.textContent = text
    this.line.classList.toggle('bad', bad)
  })
  private readonly answers = el('p', { class: 'answers', hidden: '' })
  private unread = 0
  private newest: Message | null = null
  private told = ''
  private readonly form = el('form')
  private readonly ask = el('form', { class: 'ask', novalidate: '' })
  private readonly clip = el('button', { class: 'clip', type: 'button' }, '+')
  private readonly rating = el('div', { class: 'rate', role: 'group' })
  private readonly input: HTMLTextAreaElement
  private readonly find: HTMLElement | null
  private readonly shown = new Map<string, HTMLElement>()
  private session: Session | null = null
  private details: Record<string, string> = {}
  private unsent: { id: string; body: string } | null = null
  private stream: AbortController | null = null
  private followed: string | null = null
  private retry = 0
  private quiet = 0
  private saidTyping = 0

  constructor(
    private readonly client: Client,
    private readonly config: Config,
    language: Language,
  ) {
    this.t = texts[language]
    this.words = config.look[language]
    const host = el('div', { lang: language })
    const root = host.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style(config.look.color, config.look.position === 'left'))
    root.adoptedStyleSheets = [sheet]
    this.log.setAttribute('aria-label', this.t.log)

    this.launch = el('button', { class: 'launch', type: 'button', 'aria-label': this.t.open, 'aria-expanded': 'false' })
    this.launch.append(draw('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, draw('path', { d: bubble, fill: 'currentColor' })))
    this.launch.onclick = () => this.toggle()

    const close = el('button', { type: 'button', 'aria-label': this.t.close }, '×')
    close.onclick = () => this.toggle(false)
    this.input = el('textarea', { rows: '1', maxlength: '10000', 'aria-label': this.t.write, placeholder: this.t.write })
    const picked = el('input', { type: 'file', hidden: '', tabindex: '-1', 'aria-hidden': 'true' })
    this.clip.setAttribute('aria-label', this.t.attach)
    this.clip.onclick = () => picked.click()
    picked.onchange = () => {
      const file = picked.files?.[0]
      picked.value = ''
      if (file) void this.attach(file)
    }
    this.form.append(this.clip, picked, this.input, el('button', { class: 'go', type: 'submit' }, this.t.send))
    this.form.onsubmit = (event) => {
      event.preventDefault()
      void this.send()
    }
    this.input.onkeydown = (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault()
        void this.send()
      }
    }
    this.input.oninput = () => {
      if (!this.input.value.trim()) this.forget()
      this.sayTyping()
      this.grow()
    }
    this.buildAsk()
    this.buildRating()
    this.find = config.articles ? searchBox(this.t, (text) => client.articles(text)) : null

    this.panel = el('section', { class: 'panel', role: 'dialog', 'aria-label': this.words.title, hidden: '' })
    this.panel.append(el('header', {}, stars(), el('div', { class: 'head' }, el('h2', {}, this.words.title), this.answers), close), ...(this.find ? [this.find] : []), this.log, this.rating, this.line, this.ask, this.form)
    this.panel.onkeydown = (event) => {
      if (event.key === 'Escape') this.toggle(false)
    }
    this.greet()
    document.addEventListener('visibilitychange', () => this.sayRead())
    root.append(this.launch, this.panel)
    document.body.append(host)
    if (client.token) void this.resume()
  }

  private greet(): void {
    const { open, opens_at } = this.config
    this.add('greeting', 'agent', this.config.name, open ? this.words.greeting : this.words.away)
    if (!open && opens_at) {
      const at = new Date(opens_at).toLocaleString(this.client.language, { weekday: 'long', hour: '2-digit', minute: '2-digit' })
      this.note.say(this.t.opens(at))
    }
  }

  private buildAsk(): void {
    const { prechat } = this.config.look
    const field = (name: 'name' | 'email' | 'phone', type: string, required: boolean) => {
      const input = el('input', { id: `k-${name}`, name, type, autocomplete: name === 'phone' ? 'tel' : name, maxlength: '200' })
      input.required = required
      const label = required ? `${this.t[name]} (${this.t.required})` : this.t[name]
      this.ask.append(el('div', {}, el('label', { for: `k-${name}` }, label), input))
    }
    field('name', 'text', prechat.name_required)
    field('email', 'email', prechat.email_required)
    if (prechat.phone) field('phone', 'tel', false)
    this.ask.append(el('button', { class: 'go', type: 'submit' }, this.t.begin))
    this.ask.onsubmit = (event) => {
      event.preventDefault()
      const wrong = [...this.ask.querySelectorAll('input')].find((input) => !input.checkValidity())
      for (const input of this.ask.querySelectorAll('input')) input.setAttribute('aria-invalid', String(!input.checkValidity()))
      if (wrong) {
        this.note.say(this.t.wrong, true)
        wrong.focus()
        return
      }
      for (const [name, value] of new FormData(this.ask)) if (typeof value === 'string' && value) this.details[name] = value
      this.note.say('')
      this.note.fail('')
      this.layout(true)
      this.input.focus()
    }
  }

  private buildRating(): void {
    this.rating.append(el('p', { id: 'k-rate' }, this.t.rate))
    this.rating.setAttribute('aria-labelledby', 'k-rate')
    for (let n = 1; n <= 5; n++) {
      const button = el('button', { type: 'button', 'aria-label': this.t.stars(n) }, String(n))
      button.onclick = () => {
        this.client.rate(n).then(
          () => {
            this.rating.hidden = true
            this.note.say(this.t.thanks)
          },
          () => this.note.say(this.t.failed, true),
        )
      }
      this.rating.append(button)
    }
  }

  private layout(told = false): void {
    const asks = this.config.look.prechat.enabled && !told && !this.session?.known && Object.keys(this.details).length === 0
    this.ask.hidden = !asks
    this.form.hidden = asks
    this.rating.hidden = !this.session?.ask_rating
    if (this.find) this.find.hidden = Boolean(this.session?.conversation_id)
    // The visitor's details are sent with the first text, so a file must wait for it.
    this.clip.hidden = this.config.look.prechat.enabled && !this.session?.conversation_id
  }

  private toggle(open = this.panel.hidden): void {
    this.panel.hidden = !open
    this.launch.setAttribute('aria-expanded', String(open))
    this.launch.setAttribute('aria-label', open ? this.t.close : this.t.open)
    if (!open) {
      this.launch.focus()
      return
    }
    this.count(0)
    this.sayRead()
    this.layout()
    this.scroll()
    ;(this.ask.hidden ? this.input : this.ask.querySelector('input'))?.focus()
  }

  private add(id: string, from: Message['from'], name: string, body: string, files: Shared[] = [], canVote = false, vote: Message['vote'] = null): void {
    const old = this.shown.get(id)
    if (old) {
      old.querySelector('.text')?.replaceChildren(...linked(body))
      return
    }
    const who = from === 'visitor' ? this.t.you : from === 'bot' ? this.t.bot : name || this.t.team
    const node = el('div', { class: `line ${from}` }, el('p', { class: 'who' }, who))
    if (body) node.append(el('p', { class: 'text' }, ...linked(body)))
    for (const file of files) {
      const button = el('button', { class: 'text file', type: 'button' }, file.name)
      button.onclick = () => void this.save(file)
      node.append(button)
    }
    if (from === 'agent' && id !== 'greeting') this.answeredBy(name)
    if (canVote) node.append(voteRow(this.t, vote, (rating) => this.client.vote(id, rating), () => this.note.say(this.t.notVoted, true)))
    this.shown.set(id, node)
    this.log.append(node)
    this.scroll()
  }

  private scroll(): void {
    this.log.scrollTop = this.log.scrollHeight
  }

  private async resume(): Promise<void> {
    try {
      await this.refresh()
    } catch {
      this.again()
    }
  }

  /** Reads the visitor's session and the messages. */
  private async refresh(): Promise<void> {
    this.stand(await this.client.session())
    if (!this.session?.conversation_id) return
    for (const m of await this.client.messages()) {
      this.add(m.id, m.from, m.name, m.body, m.files, m.can_vote, m.vote)
      this.noteNewest(m)
    }
    this.sayRead()
  }

  private stand(session: Session): void {
    this.session = session
    this.layout()
    if (session.conversation_id && session.conversation_id !== this.followed) void this.follow(session.conversation_id)
  }

  private async follow(conversation: string): Promise<void> {
    this.stream?.abort()
    const stream = (this.stream = new AbortController())
    this.followed = conversation
    let first = true
    try {
      await this.client.follow(
        stream.signal,
        () => {
          // Messages written while the stream was down are read once it is open.
          if (first) void this.refresh().catch(() => undefined)
          first = false
          this.retry = 0
          this.note.unsay(this.t.offline)
        },
        (kind, data) => this.heard(kind, data),
      )
    } catch {
      // reported below
    }
    if (stream.signal.aborted) return
    this.followed = null
    this.again()
  }

  /** Reconnects after growing pauses of at most half a minute. */
  private again(): void {
    this.retry = Math.min(this.retry + 1, 6)
    if (this.retry > 1) this.note.say(this.t.offline, true)
    setTimeout(() => void this.resume(), Math.min(30_000, 500 * 2 ** this.retry) * (0.5 + Math.random() / 2))
  }

  private heard(kind: string, data: string): void {
    if (kind === 'state') {
      void this.refresh().catch(() => undefined)
      return
    }
    if (kind === 'typing') {
      const { typing, bot } = JSON.parse(data) as { typing: boolean; bot: boolean }
      clearTimeout(this.quiet)
      this.note.say(typing ? `${bot ? this.t.botName : this.t.team} ${this.t.typing}` : '')
      if (typing) this.quiet = window.setTimeout(() => this.note.say(''), typingLasts)
      return
    }
    const m = JSON.parse(data) as Message
    const known = this.shown.has(m.id)
    this.add(m.id, m.from, m.name, m.body, m.files, m.can_vote, m.vote)
    if (m.from === 'visitor') return
    this.note.say('')
    this.noteNewest(m)
    this.sayRead()
    if (this.panel.hidden && !known) this.count(this.unread + 1)
  }

  private noteNewest(m: Message): void {
    if (m.from !== 'visitor' && (!this.newest || m.created_at > this.newest.created_at)) this.newest = m
  }

  /** Reports each newest answer as seen once: when the chat is open and the page visible. */
  private sayRead(): void {
    if (!this.newest || this.newest.id === this.told || this.panel.hidden || document.hidden) return
    this.told = this.newest.id
    this.client.read(this.newest.id)
  }

  /** Shows the number of unread messages on the button, and in its accessible name. */
  private count(unread: number): void {
    this.unread = unread
    this.launch.querySelector('.dot')?.remove()
    if (unread > 0) this.launch.append(el('span', { class: 'dot', 'data-n': unread > 9 ? '9+' : String(unread) }))
    this.launch.setAttribute('aria-label', this.panel.hidden ? (unread > 0 ? `${this.t.open} (${this.t.unread(unread)})` : this.t.open) : this.t.close)
  }

  /** The header shows who is answering. */
  private answeredBy(name: string): void {
    if (!name) return
    this.answers.textContent = this.t.answers(name)
    this.answers.hidden = false
  }

  /** The field grows with its content, up to five lines. */
  private grow(): void {
    this.input.style.height = 'auto'
    this.input.style.height = `${this.input.scrollHeight + 2}px`
  }

  private sayTyping(): void {
    if (!this.session?.conversation_id || Date.now() - this.saidTyping < typingEvery) return
    this.saidTyping = Date.now()
    this.client.typing(true)
  }

  /** Nothing is waiting to be sent any more: it was sent, or the visitor gave it up. */
  private forget(): void {
    this.unsent = null
    this.note.fail('')
  }

  private async send(): Promise<void> {
    const body = this.input.value.trim()
    if (!body) return
    // A message without an answer keeps its id, so that it is not stored twice.
    if (this.unsent?.body !== body) this.unsent = { id: newId(), body }
    const { id } = this.unsent
    try {
      if (!this.client.token) await this.client.session()
      const { message, session } = await this.write(id, body)
      this.forget()
      this.saidTyping = 0
      this.input.value = ''
      this.grow()
      this.note.say('')
      this.add(message.id, 'visitor', '', message.body)
      this.stand(session)
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 0
      this.note.fail(status === 429 ? this.t.busy : status === 422 ? this.t.wrong : this.t.failed)
      if (status === 422 && this.config.look.prechat.enabled) {
        this.details = {}
        this.layout()
      }
    }
  }

  private async attach(file: File): Promise<void> {
    try {
      if (!this.client.token) await this.client.session()
      const { message, session } = await this.client.attach(file)
      if (!this.unsent) this.note.fail('')
      this.add(message.id, 'visitor', '', message.body, message.files)
      this.stand(session)
    } catch (error) {
      const { status, code } = error instanceof Refusal ? error : { status: 0, code: '' }
      const { tooLarge, blocked, busy, full, fileFailed } = this.t
      this.note.fail(status === 413 ? tooLarge : status === 422 ? blocked : status === 429 ? busy : code === 'storage_full' ? full : fileFailed)
    }
  }

  private async save(shared: Shared): Promise<void> {
    try {
      const url = URL.createObjectURL(await this.client.file(shared))
      const link = el('a', { href: url, download: shared.name })
      link.click()
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
    } catch {
      this.note.say(this.t.offline, true)
    }
  }

  private async write(id: string, body: string) {
    const message = { ...this.details, message_id: id, body }
    try {
      return await this.client.write(message)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error
      await this.client.session() // the server no longer knows the visitor: start again
      return this.client.write(message)
    }
  }
}

function pick(wanted: Config['look']['language']): Language {
  if (wanted !== 'auto') return wanted
  return navigator.language.toLowerCase().startsWith('tr') ? 'tr' : 'en'
}

const script = document.currentScript as HTMLScriptElement | null
if (script?.dataset.key) {
  const client = new Client(new URL(script.src).origin, script.dataset.key, navigator.language)
  client.config().then(
    (config) => {
      const language = pick(config.look.language)
      client.language = language
      new Widget(client, config, language)
    },
    () => console.warn('The chat is not available on this page.'),
  )
}
