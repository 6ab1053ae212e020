import { useState } from 'react'
import { fieldText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { Checkbox, Field, Input } from '@/ui/Field'

const texts = {
  too_short: 'password.tooShort',
  too_weak: 'password.tooWeak',
  too_long: 'field.tooLong',
  same_as_old: 'password.same',
} as const satisfies Record<string, PlainKey>

/** A field for a new password: long rather than complex, and it can be shown while typing. */
export function NewPassword({ name, error, label, short }: { name: string; error: unknown; label?: string; short?: boolean }) {
  const { t } = useI18n()
  const [visible, setVisible] = useState(false)
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={label ?? t('signIn.password')}
        hint={short ? t('password.hintShort') : t('password.hint')}
        error={fieldText(error, name, short ? { ...texts, too_short: 'password.tooShortSecond' } : texts)}
      >
        <Input name={name} type={visible ? 'text' : 'password'} autoComplete="new-password" spellCheck={false} required />
      </Field>
      <Checkbox label={t('password.show')} checked={visible} onChange={(event) => setVisible(event.target.checked)} />
    </div>
  )
}
