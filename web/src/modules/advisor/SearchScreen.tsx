import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Scale, SearchX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { tCount, useI18n } from '@/i18n'
import { Badge } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { EmptyState } from '@/ui/EmptyState'
import { DateInput } from '@/ui/DateInput'
import { Field, Input } from '@/ui/Field'
import { Marked } from '@/ui/Marked'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Segmented } from '@/ui/Segmented'
import { Select } from '@/ui/Select'
import { LawList } from './LawList'
import { kindNames } from './kindNames'
import { kinds, useRegulations, type Hit, type Kind, type Search, type Standing } from './regulations'

/** Long enough to avoid a request per letter, short enough to feel immediate. */
const typingPause = 150

export function SearchScreen() {
  const { t } = useI18n()
  const search = useSearch({ from: '/shell/advisor' })
  const navigate = useNavigate({ from: '/advisor' })
  const [typed, setTyped] = useState(search.q ?? '')

  const change = (next: Search) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true })

  useEffect(() => {
    const timer = setTimeout(() => {
      const q = typed.trim() || undefined
      // A new query may have no match in the law that was chosen for the old one.
      void navigate({
        search: (old) => (old.q === q ? old : { ...old, q, mevzuat: old.q ? undefined : old.mevzuat }),
        replace: true,
      })
    }, typingPause)
    return () => clearTimeout(timer)
  }, [typed, navigate])

  const found = useRegulations(search)

  return (
    <>
      <PageHeader title={t('advisor.title')} lead={t('advisor.lead')} />
      <div role="search" className="mb-5 flex flex-col gap-3">
        <Field label={t('advisor.question')} hint={t('advisor.questionHint')}>
          <Input
            type="search"
            value={typed}
            maxLength={512}
            autoFocus
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        </Field>
        <div className="flex flex-wrap items-end gap-3">
          <Field label={t('advisor.kind')} className="w-44">
            <Select value={search.tur ?? ''} onChange={(event) => change({ tur: (event.target.value || undefined) as Kind | undefined })}>
              <option value="">{t('advisor.kind.all')}</option>
              {kinds.map((kind) => (
                <option key={kind} value={kind}>
                  {t(kindNames[kind])}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={t('advisor.law')} className="w-64 max-w-full">
            <Select value={search.mevzuat ?? ''} onChange={(event) => change({ mevzuat: event.target.value || undefined })}>
              <option value="">{t('advisor.law.all')}</option>
              {search.mevzuat && !found.facets?.mevzuat.some((law) => law.value === search.mevzuat) && (
                <option value={search.mevzuat}>{search.mevzuat}</option>
              )}
              {found.facets?.mevzuat.map((law) => (
                <option key={law.value} value={law.value}>
                  {`${law.title} (${law.count})`}
                </option>
              ))}
            </Select>
          </Field>
          <Segmented<Standing>
            label={t('advisor.standing')}
            value={search.durum ?? 'yururlukte'}
            options={[
              { value: 'yururlukte', label: t('advisor.inForce') },
              { value: 'mulga', label: t('advisor.repealed') },
              { value: 'hepsi', label: t('advisor.both') },
            ]}
            onChange={(durum) => change({ durum })}
          />
        </div>
        <details open={Boolean(search.tarih || search.rg_from || search.rg_to)}>
          <summary className="min-h-6 cursor-pointer text-sm font-medium text-ink-2">{t('advisor.days')}</summary>
          <div className="mt-2 flex flex-wrap items-end gap-3">
            <Day label={t('advisor.asOf')} value={search.tarih} onChange={(tarih) => change({ tarih })} />
            <Day label={t('advisor.gazetteFrom')} value={search.rg_from} onChange={(rg_from) => change({ rg_from })} />
            <Day label={t('advisor.gazetteTo')} value={search.rg_to} onChange={(rg_to) => change({ rg_to })} />
          </div>
        </details>
      </div>
      {search.q ? <Results {...found} /> : <Begin pick={(mevzuat) => change({ mevzuat })} />}
    </>
  )
}

function Day({ label, value, onChange }: { label: string; value?: string; onChange: (day: string | undefined) => void }) {
  return (
    <Field label={label} className="w-44">
      <DateInput type="date" value={value ?? ''} onChange={(event) => onChange(event.target.value || undefined)} />
    </Field>
  )
}

function Begin({ pick }: { pick: (law: string) => void }) {
  const { t } = useI18n()
  return (
    <>
      <EmptyState icon={Scale} title={t('advisor.begin.title')}>
        {t('advisor.begin.text')}
      </EmptyState>
      <LawList pick={pick} />
    </>
  )
}

function Results({ hits, corrected, total, more, ...state }: ReturnType<typeof useRegulations>) {
  const { t } = useI18n()
  return (
    <QueryState
      {...state}
      isEmpty={hits.length === 0}
      empty={
        <EmptyState icon={SearchX} title={t('advisor.none.title')}>
          {t('advisor.none.text')}
        </EmptyState>
      }
    >
      <p role="status" className="mb-3 text-sm text-ink-2">
        {tCount('advisor.total', total)}
        {corrected.map((word) => (
          <span key={word.word}> {t('advisor.corrected', { word: word.word, searched: word.searched })}</span>
        ))}
      </p>
      <ol className="flex flex-col gap-3" aria-label={t('advisor.results')}>
        {hits.map((hit) => (
          <li key={hit.id}>
            <Result hit={hit} />
          </li>
        ))}
      </ol>
      {more && (
        <Button className="mt-4" busy={more.loading} onClick={more.load}>
          {t('table.more')}
        </Button>
      )}
    </QueryState>
  )
}

function Result({ hit }: { hit: Hit }) {
  const { t } = useI18n()
  return (
    <article className="rounded-lg border border-line bg-surface p-4 shadow-1">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 font-semibold">
          <Link to="/advisor/$provisionId" params={{ provisionId: hit.id }} className="text-accent-ink hover:underline">
            {hit.provision.label}
            {hit.provision.heading && ` – ${hit.provision.heading}`}
          </Link>
        </h2>
        {hit.match === 'citation' && <Badge tone="accent">{t('advisor.cited')}</Badge>}
        {hit.status === 'repealed' && <Badge tone="warn">{t('advisor.repealed')}</Badge>}
      </div>
      <p className="mt-0.5 text-sm text-ink-3">{[hit.law.title, ...hit.provision.path].join(' › ')}</p>
      <p className="mt-2 text-sm text-ink-2">
        <Marked text={hit.snippet} />
      </p>
    </article>
  )
}
