import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, ask } from '@/api/client'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { useLinkToken } from '@/lib/linkToken'
import { useOnce } from '@/lib/once'
import { AuthPage, AuthWaiting } from '@/shell/AuthPage'
import { buttonClass } from '@/ui/Button'
import { EmailForm } from './EmailForm'
import { useResend } from './Resend'

/** The page behind the mailed link; without a token it offers to request a new one. */
export function VerifyScreen() {
  const token = useLinkToken()
  return token ? <Verifying token={token} /> : <AskAgain />
}

function Verifying({ token }: { token: string }) {
  const { t } = useI18n()
  const verify = useMutation({
    mutationFn: () => ask(api.POST('/api/v1/auth/email/verify', { body: { token } })).then((envelope) => envelope.data),
  })
  useOnce(verify.mutate)

  if (verify.error) return <AskAgain reason={errorText(verify.error)} />
  if (!verify.data) return <AuthWaiting title={t('verify.title')} />
  return (
    <AuthPage title={t('verify.done.title')} lead={t('verify.done.text', { email: verify.data.email, workspace: verify.data.workspace.name })}>
      <Link to="/sign-in" className={`${buttonClass('primary')} h-10.5 w-full`}>
        {t('signIn.submit')}
      </Link>
    </AuthPage>
  )
}

function AskAgain({ reason }: { reason?: string }) {
  const { t } = useI18n()
  return <EmailForm title={t('verify.title')} lead={t('verify.lead')} action={t('verify.again')} sent={t('verify.sentAgain')} reason={reason} send={useResend()} />
}
