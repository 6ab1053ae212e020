import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft, ArrowRight, ExternalLink } from 'lucide-react'
import { asApiError } from '@/api/error'
import { formatDay, useI18n } from '@/i18n'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Badge } from '@/ui/Badge'
import { Card } from '@/ui/Card'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { useProvision, type Neighbour } from './regulations'

const quiet = 'inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-ink-2 hover:text-ink'

export function ProvisionScreen() {
  const { t } = useI18n()
  const { provisionId } = useParams({ from: '/shell/advisor/$provisionId' })
  const { data: page, isPending, error, refetch } = useProvision(provisionId)
  if (asApiError(error)?.status === 404) return <NotFoundPage />
  return (
    <QueryState isPending={isPending} error={error} isEmpty={!page} empty={<NotFoundPage />} retry={() => void refetch()}>
      {page && (
        <>
          <PageHeader
            back={
              <Link to="/advisor" className={quiet}>
                <ArrowLeft aria-hidden className="size-4" />
                {t('advisor.title')}
              </Link>
            }
            title={page.provision.label}
            lead={[page.law.title, ...page.provision.path].join(' › ')}
            actions={page.status === 'repealed' && <Badge tone="warn">{t('advisor.repealed')}</Badge>}
          />
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_19rem]">
            <div className="flex min-w-0 flex-col gap-5">
              <Card title={page.provision.heading || undefined}>
                <p className="max-w-[72ch] text-base leading-relaxed whitespace-pre-line">{page.text}</p>
                <p className="mt-4 text-sm text-ink-3">{t('advisor.validFrom', { day: formatDay(page.valid_from) })}</p>
                {page.source_url && (
                  <a href={page.source_url} target="_blank" rel="noreferrer" className={`mt-1 ${quiet}`}>
                    {t('advisor.source')}
                    <ExternalLink aria-hidden className="size-4" />
                  </a>
                )}
              </Card>
              <nav aria-label={t('advisor.neighbours')} className="flex flex-wrap justify-between gap-3">
                {page.previous ? (
                  <To neighbour={page.previous}>
                    <ArrowLeft aria-hidden className="size-4" />
                    {page.previous.provision.label}
                  </To>
                ) : (
                  <span />
                )}
                {page.next && (
                  <To neighbour={page.next}>
                    {page.next.provision.label}
                    <ArrowRight aria-hidden className="size-4" />
                  </To>
                )}
              </nav>
              {page.versions.length > 1 && (
                <Card title={t('advisor.versions')}>
                  {page.versions.slice(1).map((version) => (
                    <details key={version.sha256} className="border-t border-line py-2 first:border-t-0">
                      <summary className="cursor-pointer text-sm font-medium">
                        {t('advisor.version', { from: formatDay(version.valid_from), to: version.valid_to ? formatDay(version.valid_to) : '' })}
                      </summary>
                      <p className="mt-2 text-sm whitespace-pre-line text-ink-2">{version.text}</p>
                    </details>
                  ))}
                </Card>
              )}
            </div>
            <Card title={t('advisor.outline')}>
              <ol className="flex flex-col gap-1 text-sm">
                {page.outline.map((entry) => (
                  <li key={entry.id}>
                    <Link
                      to="/advisor/$provisionId"
                      params={{ provisionId: entry.id }}
                      aria-current={entry.id === page.id ? 'page' : undefined}
                      className="block min-h-6 rounded-sm px-2 py-1 text-ink-2 hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent-ink"
                    >
                      {entry.provision.no}. {entry.provision.heading}
                    </Link>
                  </li>
                ))}
              </ol>
            </Card>
          </div>
        </>
      )}
    </QueryState>
  )
}

function To({ neighbour, children }: { neighbour: Neighbour; children: React.ReactNode }) {
  return (
    <Link to="/advisor/$provisionId" params={{ provisionId: neighbour.id }} className={quiet}>
      {children}
    </Link>
  )
}
