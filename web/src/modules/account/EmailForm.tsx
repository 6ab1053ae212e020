import type { ReactNode } from 'react'
import { errorText, fieldText, isAboutFields } from '@/api/message'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { AuthPage, ToSignIn } from '@/shell/AuthPage'
import { Button } from '@/ui/Button'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'

interface EmailFormProps {
  title: string
  lead: string
  action: string
  /** Shown when the mail has been sent. */
  sent: string
  /** Why the person is on this page, until there is something newer to say. */
  reason?: ReactNode
  send: { mutate: (email: string) => void; isPending: boolean; isSuccess: boolean; error: unknown }
}

/** A page that asks for an address and mails a link to it. */
export function EmailForm({ title, lead, action, sent, reason, send }: EmailFormProps) {
  const { t } = useI18n()
  const form = useFocusOnError(send.error)
  return (
    <AuthPage title={title} lead={lead}>
      {reason && !send.isSuccess && !send.error && (
        <Notice tone="danger" className="mb-5">
          {reason}
        </Notice>
      )}
      {send.isSuccess && (
        <Notice tone="ok" className="mb-5">
          {sent}
        </Notice>
      )}
      {send.error != null && !isAboutFields(send.error, ['email']) && (
        <Notice tone="danger" className="mb-5">
          {errorText(send.error)}
        </Notice>
      )}
      <form
        ref={form}
        noValidate
        className="flex flex-col gap-4.5"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate(textOf(new FormData(event.currentTarget), 'email'))
        }}
      >
        <Field label={t('signIn.email')} error={fieldText(send.error, 'email', { invalid_address: 'field.email' })}>
          <Input name="email" type="email" autoComplete="username" autoFocus required />
        </Field>
        <Button type="submit" look="primary" busy={send.isPending} className="h-10.5">
          {action}
        </Button>
      </form>
      <ToSignIn />
    </AuthPage>
  )
}
