import type { Capabilities } from '@/api/capabilities'
import { formatNumber, t } from '@/i18n'
import { bytesText } from '@/lib/bytes'
import { channelName } from './channels'

/** Why a channel cannot carry a file, or null where it can. A type that the browser does not know is left to the server. */
export function fileRefusal(can: Capabilities | undefined, file: { type: string; size: number }): string | null {
  if (!can) return null
  const channel = channelName(can.kind)
  if (can.files.length === 0) return t('inbox.file.none', { channel })
  if (!file.type) return null
  const rule = can.files.find(({ types }) => types.includes(file.type) || types.includes('*/*'))
  if (!rule) return t('inbox.file.type', { channel })
  return file.size > rule.max_size ? t('inbox.file.size', { channel, size: bytesText(rule.max_size) }) : null
}

/** From this part of what a channel takes on, the letters are counted. */
const nearlyFull = 0.9

/** How long a text is against what its channel takes in one message; null where that is far away. */
export function lengthRefusal(can: Capabilities | undefined, text: string): { over: boolean; said: string } | null {
  if (!can?.max_text) return null
  const count = [...text.trim()].length
  if (count <= can.max_text * nearlyFull) return null
  const words = { channel: channelName(can.kind), max: formatNumber(can.max_text), count: formatNumber(count), over: formatNumber(count - can.max_text) }
  return count > can.max_text ? { over: true, said: t('inbox.length.over', words) } : { over: false, said: t('inbox.length.near', words) }
}

const signs = ['👍', '❤️', '😂', '🙏'] as const

/** A sign without the selector that only asks for colour. */
const plain = (sign: string) => sign.replace('\uFE0F', '')

/** The signs that a message of a channel can be given; a test conversation takes all, since nothing leaves it. */
export function reactionSigns(kinds: readonly Capabilities[] | undefined, channel: string | null, test: boolean): readonly string[] {
  if (test) return signs
  const can = kinds?.find(({ kind }) => kind === channel)
  if (!can?.reactions) return []
  return can.reaction_signs.length === 0 ? signs : signs.filter((sign) => can.reaction_signs.some((one) => plain(one) === plain(sign)))
}
