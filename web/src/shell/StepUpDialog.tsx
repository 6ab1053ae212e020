import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, type FormEvent } from 'react'
import { api, ask } from '@/api/client'
import { asApiError } from '@/api/error'
import { errorText, fieldText } from '@/api/message'
import { meQuery, useMe } from '@/api/session'
import { answerStepUp } from '@/api/stepUp'
import { useI18n } from '@/i18n'
import { textOf, useFocusOnError } from '@/lib/form'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Field, Input } from '@/ui/Field'
import { Notice } from '@/ui/Notice'

/** Opens whenever an action needs the password, above any open layer. */
export function StepUpDialog() {
  const { t } = useI18n()
  const me = useMe()
  const client = useQueryClient()
  const formId = useId()
  const prove = useMutation({
    mutationFn: (body: { password: string; code?: string }) => ask(api.POST('/api/v1/auth/app/reauth', { body })),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: meQuery.queryKey })
      answerStepUp(true)
    },
  })
  const form = useFocusOnError(prove.error)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    prove.mutate({ password: String(data.get('password') ?? ''), code: textOf(data, 'code') || undefined })
  }

  const code = asApiError(prove.error)?.code
  const passwordError = code === 'wrong_password' ? errorText(prove.error) : fieldText(prove.error, 'password')
  const codeError = code === 'wrong_code' ? errorText(prove.error) : fieldText(prove.error, 'code')
  return (
    <Dialog
      open
      above
      onOpenChange={() => answerStepUp(false)}
      title={t('stepUp.title')}
      description={t('stepUp.text')}
      footer={
        <>
          <Button onClick={() => answerStepUp(false)}>{t('common.cancel')}</Button>
          <Button look="primary" type="submit" form={formId} busy={prove.isPending}>
            {t('stepUp.submit')}
          </Button>
        </>
      }
    >
      {prove.error && !passwordError && !codeError && (
        <Notice tone="danger" className="mb-4">
          {errorText(prove.error)}
        </Notice>
      )}
      <form id={formId} ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <input type="hidden" name="username" autoComplete="username" value={me.user.email} readOnly />
        <Field label={t('signIn.password')} error={passwordError}>
          <Input name="password" type="password" autoComplete="current-password" required />
        </Field>
        {me.user.two_factor && (
          <Field label={t('stepUp.code')} hint={t('stepUp.codeHint')} error={codeError}>
            <Input name="code" autoComplete="one-time-code" autoCapitalize="none" spellCheck={false} required />
          </Field>
        )}
      </form>
    </Dialog>
  )
}
