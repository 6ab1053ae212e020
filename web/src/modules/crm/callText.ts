import { t } from '@/i18n'
import { lengthText } from '@/modules/telephony/calls'

/** Returns a call's result in a few words: how long they talked, or why they did not. */
export function callText({ voicemail, talked, ended }: { voicemail: boolean; talked: number; ended: boolean }): string {
  if (voicemail) return t('inbox.call.voicemail')
  if (talked > 0) return lengthText(talked)
  return ended ? t('inbox.call.unanswered') : t('inbox.call.open')
}
