import type { Capabilities } from '@/api/capabilities'
import { formatNumber, t } from '@/i18n'
import { bytesText } from '@/lib/bytes'
import { channelName } from './channels'

/**
 * Returns why a channel cannot carry a file, or null if it can. If the browser does not know the
 * type, the server decides.
 */
export function fileRefusal(can: Capabilities | undefined, file: { type: string; size: number }): string | null {
  if (!can) return null
  const channel = channelName(can.kind)
  if (can.files.length === 0) return t('inbox.file.none', { channel })
  if (!file.type) return null
  const rule = can.files.find(({ types }) => types.includes(file.type) || types.includes('*/*'))
  if (!rule) return t('inbox.file.type', { channel })
  return file.size > rule.max_size ? t('inbox.file.size', { channel, size: bytesText(rule.max_size) }) : null
}

/** The share of a channel's limit from which the characters are counted. */
const nearlyFull = 0.9

/** Compares a text's length with its channel's limit per message; null if it is far below. */
export function lengthRefusal(can: Capabilities | undefined, text: string): { over: boolean; said: string } | null {
  if (!can?.max_text) return null
  const count = [...text.trim()].length
  if (count <= can.max_text * nearlyFull) return null
  const words = { channel: channelName(can.kind), max: formatNumber(can.max_text), count: formatNumber(count), over: formatNumber(count - can.max_text) }
  return count > can.max_text ? { over: true, said: t('inbox.length.over', words) } : { over: false, said: t('inbox.length.near', words) }
}

const signs = ['👍', '❤️', '😂', '🙏'] as const

/** Returns an emoji without the variation selector that only requests colour. */
const plain = (sign: string) => sign.replace('\uFE0F', '')

/**
 * Returns the emojis with which a message of a channel can be marked; a test conversation supports
 * all, since nothing leaves it.
 */
export function reactionSigns(kinds: readonly Capabilities[] | undefined, channel: string | null, test: boolean): readonly string[] {
  if (test) return signs
  const can = kinds?.find(({ kind }) => kind === channel)
  if (!can?.reactions) return []
  return can.reaction_signs.length === 0 ? signs : signs.filter((sign) => can.reaction_signs.some((one) => plain(one) === plain(sign)))
}
