import { useI18n } from '@/i18n'
import { colonWord, findEmojis } from './emoji'
import { useTyped, wordPicker } from './wordPicker'

/** The list that opens while a word after ":" is typed. */
export function useEmojis(text: string, change: (text: string) => void) {
  const { t, language } = useI18n()
  const typed = useTyped(text, colonWord)
  const { word } = typed
  const rows = word ? findEmojis(word.word) : []
  return wordPicker(typed, {
    rows,
    open: rows.length > 0,
    settled: true,
    label: t('emoji.title'),
    none: '',
    keyOf: ([sign]) => sign,
    draw: ([sign, english = '', turkish = english]) => (
      <>
        <span aria-hidden>{sign}</span>
        {language === 'tr' ? turkish : english}
      </>
    ),
    choose: ([sign]) => {
      if (!word) return
      const [before, after] = typed.around(word)
      typed.close()
      change(`${before}${sign} ${after.replace(/^ /, '')}`)
    },
  })
}
