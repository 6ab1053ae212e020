import { Link, useParams, useRouter } from '@tanstack/react-router'
import { ArrowLeft, ExternalLink, History } from 'lucide-react'
import { useEffect, useState } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatNumber, useI18n } from '@/i18n'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Badge } from '@/ui/Badge'
import { Button, buttonClass } from '@/ui/Button'
import { Confirm } from '@/ui/Confirm'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Select } from '@/ui/Select'
import { Tabs } from '@/ui/Tabs'
import { toast } from '@/ui/Toast'
import { Editor } from './Editor'
import { VersionsDrawer } from './VersionsDrawer'
import { areSame, categoryName, languages, states, useArticle, useCategories, useMoveArticle, usePublish, useSummary, wordsOf, type Article, type Language, type Text, type Words } from './helpcenter'

export function ArticleScreen() {
  const { articleId } = useParams({ from: '/shell/help-center/$articleId' })
  const query = useArticle(articleId)
  const missing = asApiError(query.error)?.status === 404
  return (
    <QueryState isPending={query.isPending} error={missing ? null : query.error} retry={() => void query.refetch()} isEmpty={missing || !query.data} empty={<NotFoundPage />}>
      {query.data && <Opened key={articleId} article={query.data} />}
    </QueryState>
  )
}

function Opened({ article }: { article: Article }) {
  const { t, language: lang } = useI18n()
  const me = useMe()
  const canWrite = meets(me, { permission: 'crm.articles.manage' })
  const site = useSummary(meets(me, { permission: 'crm.channels.view' })).data
  const categories = useCategories().data ?? []
  const move = useMoveArticle(article.id)
  const written = article.texts.map((text) => text.language)
  const offered = [...new Set<Language>([...written, ...((site?.languages ?? []) as Language[])])]
  const [language, setLanguage] = useState<Language>(written.includes(lang) ? lang : (written[0] ?? lang))
  const textIn = (code: Language) => article.texts.find((one) => one.language === code)
  const text = textIn(language)

  // Unsaved text is kept while another language is shown or a colleague saves.
  const [typed, setTyped] = useState<Partial<Record<Language, Words>>>({})
  const draftIn = (code: Language) => {
    const words = typed[code]
    return words && !areSame(words, wordsOf(textIn(code))) ? words : undefined
  }
  /** Text typed while the server was saving is based on the saved version. */
  const settle = (code: Language, sent: Words, version: number) =>
    setTyped((before) => {
      const words = before[code]
      return { ...before, [code]: words && !areSame(words, sent) ? { ...words, based_on: version } : undefined }
    })

  return (
    <>
      <PageHeader
        back={
          <Link to="/help-center" className="inline-flex min-h-6 items-center gap-1.5 text-sm font-medium text-ink-2 hover:text-ink">
            <ArrowLeft aria-hidden className="size-4" />
            {t('helpcenter.title')}
          </Link>
        }
        title={text?.title ?? article.texts[0]?.title ?? ''}
        actions={<Actions key={language} article={article} text={text} language={language} canWrite={canWrite} />}
      />
      {canWrite && categories.length > 0 && (
        <Select
          aria-label={t('helpcenter.category')}
          value={article.category_id}
          disabled={move.isPending}
          onChange={(event) => move.mutate(event.target.value, { onError: (error) => toast('danger', t('helpcenter.failed'), errorText(error)) })}
          className="mb-4 w-64"
        >
          {categories.map((one) => (
            <option key={one.id} value={one.id}>
              {categoryName(one, lang)}
            </option>
          ))}
        </Select>
      )}
      <Tabs
        label={t('helpcenter.languages')}
        value={language}
        onChange={(id) => setLanguage(id as Language)}
        tabs={offered.map((code) => ({
          id: code,
          label: languages[code],
          content: (
            <Editor
              id={article.id}
              language={code}
              text={textIn(code)}
              draft={draftIn(code)}
              onDraft={(words) => setTyped((before) => ({ ...before, [code]: words }))}
              onSaved={(sent, version) => settle(code, sent, version)}
              canWrite={canWrite}
            />
          ),
        }))}
      />
      <LeaveQuestion asks={offered.some((code) => draftIn(code))} />
    </>
  )
}

/** Asks before unsaved text is lost by leaving the page; if it is closed, the browser asks. */
function LeaveQuestion({ asks }: { asks: boolean }) {
  const { t } = useI18n()
  const { history } = useRouter()
  const [asked, setAsked] = useState<{ answer: (stays: boolean) => void } | null>(null)
  // The router's own hook for this would be loaded with the first screen.
  useEffect(() => {
    if (!asks) return
    return history.block({
      blockerFn: ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && new Promise<boolean>((answer) => setAsked({ answer })),
      enableBeforeUnload: true,
    })
  }, [asks, history])

  function answer(stays: boolean) {
    asked?.answer(stays)
    setAsked(null)
  }

  return (
    <Confirm open={asked !== null} onOpenChange={() => answer(true)} title={t('discard.question')} action={t('discard.yes')} onConfirm={() => answer(false)}>
      {t('helpcenter.unsaved')}
    </Confirm>
  )
}

function Actions({ article, text, language, canWrite }: { article: Article; text: Text | undefined; language: Language; canWrite: boolean }) {
  const { t } = useI18n()
  const publish = usePublish(article.id, language)
  const [versions, setVersions] = useState(false)
  if (!text) return null
  const set = (to: boolean) =>
    publish.mutate(to, {
      onSuccess: () => toast('ok', to ? t('helpcenter.published') : t('helpcenter.unpublished')),
      onError: (error) => toast('danger', t('helpcenter.failed'), errorText(error)),
    })
  return (
    <>
      <Badge tone={states[text.state].tone}>{t(states[text.state].label)}</Badge>
      <span className="text-sm text-ink-2">{t('helpcenter.votesOf', { yes: formatNumber(text.helpful), no: formatNumber(text.unhelpful) })}</span>
      {text.url && (
        <a href={text.url} target="_blank" rel="noreferrer" className={buttonClass()}>
          <ExternalLink aria-hidden className="size-4" />
          {t('helpcenter.openArticle')}
        </a>
      )}
      <Button icon={History} onClick={() => setVersions(true)}>
        {t('helpcenter.versions')}
      </Button>
      {canWrite && text.state !== 'draft' && (
        <Button busy={publish.isPending} onClick={() => set(false)}>
          {t('helpcenter.unpublish')}
        </Button>
      )}
      {canWrite && text.state !== 'published' && (
        <Button look="primary" busy={publish.isPending} onClick={() => set(true)}>
          {t('helpcenter.publish')}
        </Button>
      )}
      {versions && <VersionsDrawer id={article.id} language={language} newest={text.version} canWrite={canWrite} onClose={() => setVersions(false)} />}
    </>
  )
}
