import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { api, ask, type Schemas } from '@/api/client'
import { errorText } from '@/api/message'
import { useI18n } from '@/i18n'
import { AuthPage } from '@/shell/AuthPage'
import { Badge } from '@/ui/Badge'
import { Button, buttonClass } from '@/ui/Button'
import { Field } from '@/ui/Field'
import { Notice } from '@/ui/Notice'
import { Select } from '@/ui/Select'
import { Skeleton } from '@/ui/Skeleton'
import { consentQuery, requestOf, type AuthRequest } from './consent'

type Consent = Schemas['OauthConsent']

export function ConsentScreen() {
  const { t } = useI18n()
  const [request] = useState(() => requestOf(window.location.search))
  const consent = useQuery(consentQuery(request))
  if (consent.isPending) {
    return (
      <AuthPage title={t('consent.title')}>
        <p role="status" className="sr-only">
          {t('common.loading')}
        </p>
        <Skeleton className="h-32 w-full" />
      </AuthPage>
    )
  }
  if (!consent.data) {
    return (
      <AuthPage title={t('consent.wrong.title')} lead={t('consent.wrong.text')}>
        <Notice tone="danger">{errorText(consent.error)}</Notice>
      </AuthPage>
    )
  }
  return <Question consent={consent.data} request={request} />
}

function Question({ consent, request }: { consent: Consent; request: AuthRequest }) {
  const { t, language } = useI18n()
  const current = consent.workspaces.find((workspace) => workspace.current) ?? consent.workspaces[0]
  const [workspaceId, setWorkspaceId] = useState(current?.id)
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'deny') =>
      ask(api.POST('/api/v1/auth/app/authorize', { body: { ...request, decision, workspace_id: workspaceId } })),
    onSuccess: ({ data }) => window.location.assign(data.redirect_to),
  })
  // After the decision the browser is on its way to the app: the page stays busy until it has left.
  const deciding = decide.isPending || decide.isSuccess ? decide.variables : null
  const granted = consent.workspaces.find((workspace) => workspace.id === workspaceId)?.granted

  return (
    <AuthPage
      title={t('consent.ask', { app: consent.app.name })}
      lead={t(consent.app.self_registered ? 'consent.selfRegistered' : 'consent.publisher', { publisher: consent.app.publisher })}
    >
      <section aria-labelledby="scopes-title" className="rounded-lg border border-line bg-surface p-4">
        <h2 id="scopes-title" className="text-sm font-semibold">
          {t('consent.scopes')}
        </h2>
        <ul className="mt-2.5 flex flex-col gap-2 text-sm">
          {consent.scopes.map((scope) => (
            <li key={scope.name} className="flex items-start gap-2">
              <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-accent-ink" />
              {language === 'tr' ? scope.tr : scope.en}
            </li>
          ))}
        </ul>
        {consent.resource && <p className="mt-3 text-sm text-ink-2">{t('consent.toolsOnly')}</p>}
        <p className="mt-3 border-t border-line pt-3 text-sm break-all text-ink-3">
          {t('consent.returns')} <span className="font-mono text-xs">{consent.redirect_uri}</span>
        </p>
      </section>
      {decide.error && (
        <Notice tone="danger" className="mt-4">
          {errorText(decide.error)}
        </Notice>
      )}
      {consent.signed_in ? (
        <div className="mt-5 flex flex-col gap-4">
          <p className="text-sm text-ink-2">{t('consent.as', { name: consent.user?.name ?? '', email: consent.user?.email ?? '' })}</p>
          {consent.workspaces.length === 0 && <Notice tone="warn">{t('consent.noWorkspace')}</Notice>}
          {consent.workspaces.length > 1 && (
            <Field label={t('nav.workspace')}>
              <Select value={workspaceId} onChange={(event) => setWorkspaceId(event.target.value)}>
                {consent.workspaces.map((workspace) => (
                  <option key={workspace.id} value={workspace.id}>
                    {workspace.name}
                  </option>
                ))}
              </Select>
            </Field>
          )}
          {consent.workspaces.length === 1 && current && (
            <p className="flex flex-wrap items-center gap-2 text-sm">
              <span className="text-ink-3">{t('nav.workspace')}</span>
              <span className="font-medium">{current.name}</span>
              {granted && <Badge tone="ok">{t('consent.granted')}</Badge>}
            </p>
          )}
          <div className="flex gap-2">
            <Button className="h-10.5 flex-1" busy={deciding === 'deny'} disabled={deciding === 'approve'} onClick={() => decide.mutate('deny')}>
              {t('consent.deny')}
            </Button>
            <Button
              look="primary"
              className="h-10.5 flex-1"
              busy={deciding === 'approve'}
              disabled={deciding === 'deny' || !workspaceId}
              onClick={() => decide.mutate('approve')}
            >
              {t('consent.approve')}
            </Button>
          </div>
        </div>
      ) : (
        <Link
          to="/sign-in"
          search={{ next: window.location.pathname + window.location.search }}
          className={`${buttonClass('primary')} mt-5 h-10.5 w-full`}
        >
          {t('consent.signIn')}
        </Link>
      )}
    </AuthPage>
  )
}
