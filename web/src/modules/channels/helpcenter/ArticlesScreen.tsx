import { Link, useNavigate } from '@tanstack/react-router'
import { BookOpenText, Ellipsis, ExternalLink, FolderTree, Settings, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { meets, useMe } from '@/api/session'
import { formatNumber, useI18n } from '@/i18n'
import { ListView, useAdd } from '@/shell/ListPage'
import { Ago } from '@/ui/Ago'
import { Badge } from '@/ui/Badge'
import { Button, buttonClass, IconButton } from '@/ui/Button'
import { ConfirmAct } from '@/ui/ConfirmAct'
import { Menu, MenuItem } from '@/ui/Menu'
import { Notice } from '@/ui/Notice'
import { PageHeader } from '@/ui/PageHeader'
import { Select } from '@/ui/Select'
import type { Column } from '@/ui/Table'
import { CategoriesDrawer } from './CategoriesDrawer'
import { ImportDialog } from './ImportDialog'
import { NewArticleDialog } from './NewArticleDialog'
import { SettingsDrawer } from './SettingsDrawer'
import { categoryName, shownText, states, useArticles, useCategories, useDeleteArticle, useSummary, type Language, type Listed, type State } from './helpcenter'

type Layer = 'new' | 'categories' | 'settings' | 'import' | Listed

export function ArticlesScreen() {
  const { t, language: lang } = useI18n()
  const me = useMe()
  const canWrite = meets(me, { permission: 'crm.articles.manage' })
  const seesSite = meets(me, { permission: 'crm.channels.view' })
  const canSetUp = meets(me, { permission: 'crm.channels.manage' })
  const navigate = useNavigate()
  const [category, setCategory] = useState('')
  const [state, setState] = useState<State | ''>('')
  const list = useArticles({ category: category || undefined, state: state || undefined })
  const categories = useCategories().data ?? []
  const summary = useSummary(seesSite).data
  const [layer, setLayer] = useState<Layer | null>(null)
  const add = useAdd('helpcenter.add', canWrite, () => setLayer('new'))
  const filtered = category !== '' || state !== ''

  const columns: Column<Listed>[] = [
    {
      id: 'title',
      header: t('helpcenter.article'),
      cell: (row) => (
        <Link to="/help-center/$articleId" params={{ articleId: row.id }} className="font-medium break-words text-ink hover:underline">
          {shownText(row, lang)?.title}
        </Link>
      ),
    },
    {
      id: 'languages',
      header: t('helpcenter.languages'),
      cell: (row) => (
        <span className="flex flex-wrap gap-1.5">
          {row.texts.map((text) => (
            <Badge key={text.language} tone={states[text.state].tone}>
              {text.language} · {t(states[text.state].label)}
            </Badge>
          ))}
        </span>
      ),
    },
    { id: 'category', header: t('helpcenter.category'), wide: true, cell: (row) => categoryName(categories.find((one) => one.id === row.category_id), lang) },
    {
      id: 'votes',
      header: t('helpcenter.votes'),
      wide: true,
      cell: (row) =>
        t('helpcenter.votesOf', {
          yes: formatNumber(row.texts.reduce((sum, text) => sum + text.helpful, 0)),
          no: formatNumber(row.texts.reduce((sum, text) => sum + text.unhelpful, 0)),
        }),
    },
    { id: 'updated', header: t('helpcenter.updated'), wide: true, cell: (row) => <Ago at={row.updated_at} /> },
  ]

  const close = () => setLayer(null)
  return (
    <>
      <PageHeader
        title={t('helpcenter.title')}
        lead={t('helpcenter.lead')}
        actions={
          <>
            {summary?.enabled && summary.url && (
              <a href={summary.url} target="_blank" rel="noreferrer" className={buttonClass()}>
                <ExternalLink aria-hidden className="size-4" />
                {t('helpcenter.openSite')}
              </a>
            )}
            {canSetUp && (
              <Button icon={Settings} onClick={() => setLayer('settings')}>
                {t('helpcenter.settings')}
              </Button>
            )}
            {canWrite && (
              <>
                <Button icon={FolderTree} onClick={() => setLayer('categories')}>
                  {t('helpcenter.categories')}
                </Button>
                <Button icon={Upload} onClick={() => setLayer('import')}>
                  {t('helpcenter.import')}
                </Button>
              </>
            )}
            {(list.rows.length > 0 || filtered) && add}
          </>
        }
      />
      {summary && !summary.enabled && (
        <Notice className="mb-4" title={t('helpcenter.off.title')}>
          {summary.url ? t('helpcenter.off.paused') : t('helpcenter.off.text')}
        </Notice>
      )}
      {(list.rows.length > 0 || filtered) && (
        <div className="mb-4 flex flex-wrap gap-3">
          <Select aria-label={t('helpcenter.category')} value={category} onChange={(event) => setCategory(event.target.value)} className="w-56!">
            <option value="">{t('helpcenter.allCategories')}</option>
            {categories.map((one) => (
              <option key={one.id} value={one.id}>
                {categoryName(one, lang)}
              </option>
            ))}
          </Select>
          <Select aria-label={t('helpcenter.state')} value={state} onChange={(event) => setState(event.target.value as State | '')} className="w-48!">
            <option value="">{t('helpcenter.allStates')}</option>
            {(Object.keys(states) as State[]).map((one) => (
              <option key={one} value={one}>
                {t(states[one].label)}
              </option>
            ))}
          </Select>
        </div>
      )}
      <ListView
        label={t('helpcenter.title')}
        list={list}
        columns={columns}
        rowActions={
          canWrite &&
          ((row: Listed) => (
            <Menu trigger={<IconButton icon={Ellipsis} label={t('common.actionsFor', { name: shownText(row, lang)?.title ?? '' })} />}>
              <MenuItem icon={Trash2} onSelect={() => setLayer(row)}>
                {t('common.delete')}
              </MenuItem>
            </Menu>
          ))
        }
        empty={
          filtered
            ? { icon: BookOpenText, title: t('helpcenter.none.title'), text: t('helpcenter.none.text') }
            : { icon: BookOpenText, title: t('helpcenter.empty.title'), text: t('helpcenter.empty.text'), action: add }
        }
      />
      {layer === 'new' && <NewArticleDialog categories={categories} onMade={(id) => void navigate({ to: '/help-center/$articleId', params: { articleId: id } })} onClose={close} />}
      {layer === 'categories' && <CategoriesDrawer categories={categories} onClose={close} />}
      {layer === 'import' && <ImportDialog categories={categories} language={(summary?.default_language as Language | undefined) ?? lang} onClose={close} />}
      {layer === 'settings' && summary && <SettingsDrawer summary={summary} onClose={close} />}
      {layer && typeof layer === 'object' && <DeleteConfirm article={layer} onClose={close} />}
    </>
  )
}

function DeleteConfirm({ article, onClose }: { article: Listed; onClose: () => void }) {
  const { t, language: lang } = useI18n()
  const title = shownText(article, lang)?.title ?? ''
  return (
    <ConfirmAct
      act={useDeleteArticle()}
      on={article.id}
      title={t('helpcenter.delete.title')}
      action={t('helpcenter.delete.action')}
      done={t('helpcenter.delete.done', { title })}
      onClose={onClose}
    >
      {t('helpcenter.delete.text', { title })}
    </ConfirmAct>
  )
}
