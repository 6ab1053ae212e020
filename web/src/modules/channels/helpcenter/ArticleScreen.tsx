import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft, ExternalLink, History } from 'lucide-react'
import { useState } from 'react'
import { asApiError } from '@/api/error'
import { errorText } from '@/api/message'
import { meets, useMe } from '@/api/session'
import { formatNumber, useI18n } from '@/i18n'
import { NotFoundPage } from '@/shell/ErrorPages'
import { Badge } from '@/ui/Badge'
import { Button, buttonClass } from '@/ui/Button'
import { PageHeader } from '@/ui/PageHeader'
import { QueryState } from '@/ui/QueryState'
import { Select } from '@/ui/Select'
import { Tabs } from '@/ui/Tabs'
import { toast } from '@/ui/Toast'
import { Editor } from './Editor'
import { VersionsDrawer } from './VersionsDrawer'
import { categoryName, languages, states, useArticle, useCategories, useMoveArticle, usePublish, useSummary, type Article, type Language, type Text } from './helpcenter'

export function ArticleScreen() {
  const { articleId } = useParams({ from: '/shell/help-center/$articleId' })
  const query = useArticle(articleId)
  const missing = asApiError(query.error)?.status === 404
  return (
    <QueryState isPending={query.isPending} error={missing ? null : query.error} retry={() => void query.refetch()} isEmpty={missing || !query.data} empty={<NotFoundPage />}>
      {query.data && <Opened article={query.data} />}
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
  const text = article.texts.find((one) => one.language === language)

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
          content: <Editor key={`${code} ${article.texts.find((one) => one.language === code)?.version ?? 0}`} id={article.id} language={code} text={article.texts.find((one) => one.language === code)} canWrite={canWrite} />,
        }))}
      />
    </>
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
