import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { usePages } from '@/api/query'
import { readAll } from '@/api/readAll'
import type { PlainKey } from '@/i18n'
import type { Tone } from '@/ui/Badge'

export type Listed = Schemas['HelpcenterListed']
export type Article = Schemas['HelpcenterArticle']
export type Text = Schemas['HelpcenterText']
export type Version = Schemas['HelpcenterVersion']
export type Category = Schemas['HelpcenterCategory']
export type Summary = Schemas['HelpcenterSummary']
export type Language = Text['language']
export type State = Text['state']

/** The languages of articles, named in the language itself. */
export const languages: Record<Language, string> = {
  tr: 'Türkçe',
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  nl: 'Nederlands',
  ar: 'العربية',
  ru: 'Русский',
  az: 'Azərbaycanca',
}

export const states = {
  draft: { label: 'helpcenter.state.draft', tone: 'neutral' },
  published: { label: 'helpcenter.state.published', tone: 'ok' },
  changed: { label: 'helpcenter.state.changed', tone: 'accent' },
} as const satisfies Record<State, { label: PlainKey; tone: Tone }>

/** Parts that readers will not see as they were written. */
export const warnings = {
  html_left_out: 'helpcenter.htmlLeftOut',
  picture_not_shown: 'helpcenter.pictureNotShown',
  language_not_shown: 'helpcenter.languageNotShown',
} as const satisfies Record<Text['warnings'][number], PlainKey>

/** Returns a category's name in a language, or in the first one that it has. */
export function categoryName(category: Category | undefined, language: string): string {
  return category?.texts.find((text) => text.language === language)?.name ?? category?.texts[0]?.name ?? ''
}

/** Returns the text of an article shown in a list: in the reader's language, or the first one. */
export function shownText(article: Listed, language: string) {
  return article.texts.find((text) => text.language === language) ?? article.texts[0]
}

const key = ['crm', 'helpcenter'] as const
const pageSize = 50

export interface ArticleFilter {
  category?: string
  state?: State
}

export function useArticles(filter: ArticleFilter) {
  return usePages({
    key: [...key, 'articles', filter],
    fetch: (cursor) =>
      ask(api.GET('/api/crm/v1/help-center/articles', { params: { query: { limit: pageSize, cursor, category_id: filter.category, state: filter.state } } })),
  })
}

export function useArticle(id: string) {
  return useQuery({
    queryKey: [...key, 'article', id],
    queryFn: () => ask(api.GET('/api/crm/v1/help-center/articles/{id}', { params: { path: { id } } })).then((envelope) => envelope.data),
  })
}

export function useCategories() {
  return useQuery({
    queryKey: [...key, 'categories'],
    queryFn: () => readAll((page) => ask(api.GET('/api/crm/v1/help-center/categories', { params: { query: page } }))),
  })
}

export function useSummary(enabled: boolean) {
  return useQuery({
    queryKey: [...key, 'summary'],
    queryFn: () => ask(api.GET('/api/crm/v1/channels/help-center')).then((envelope) => envelope.data),
    enabled,
  })
}

/**
 * Returns a mutation after which all help center data is refetched, even if it was refused: the
 * refusal may concern data not shown yet.
 */
function useChange<Input, Answer>(change: (input: Input) => Promise<Answer>) {
  const client = useQueryClient()
  const readAgain = () => client.invalidateQueries({ queryKey: key })
  return useMutation({ mutationFn: change, onSuccess: readAgain, onError: () => void readAgain() })
}

export function useSaveSettings() {
  return useChange((body: Schemas['HelpcenterSettingsChange']) => ask(api.PUT('/api/crm/v1/channels/help-center', { body })))
}

/** Returns the options that send a file instead of JSON. */
function fileBody(file: File) {
  return { body: file as unknown as string, bodySerializer: (body: unknown) => body as BodyInit, headers: { 'Content-Type': file.type || 'application/octet-stream' } }
}

export function useSetLogo() {
  return useChange((file: File) => ask(api.POST('/api/crm/v1/channels/help-center/logo', fileBody(file))))
}

export function useRemoveLogo() {
  return useChange(() => ask(api.DELETE('/api/crm/v1/channels/help-center/logo')))
}

export function useSaveCategory(id: string | null) {
  return useChange((body: Schemas['HelpcenterCategoryInput']) =>
    id
      ? ask(api.PUT('/api/crm/v1/help-center/categories/{id}', { params: { path: { id } }, body }))
      : ask(api.POST('/api/crm/v1/help-center/categories', { body })),
  )
}

export function useDeleteCategory() {
  return useChange((id: string) => ask(api.DELETE('/api/crm/v1/help-center/categories/{id}', { params: { path: { id } } })))
}

export interface NewArticle {
  category_id: string
  language: Language
  title: string
  body: string
}

export function useCreateArticle() {
  return useChange((body: NewArticle) => ask(api.POST('/api/crm/v1/help-center/articles', { body })).then((envelope) => envelope.data))
}

export function useDeleteArticle() {
  return useChange((id: string) => ask(api.DELETE('/api/crm/v1/help-center/articles/{id}', { params: { path: { id } } })))
}

export function useMoveArticle(id: string) {
  return useChange((category_id: string) => ask(api.PUT('/api/crm/v1/help-center/articles/{id}', { params: { path: { id } }, body: { category_id } })))
}

export interface Words {
  title: string
  summary: string
  body: string
  based_on: number
}

/** Returns the words of a text, as the start of a new version. */
export function wordsOf(text: Text | undefined): Words {
  return { title: text?.title ?? '', summary: text?.summary ?? '', body: text?.body ?? '', based_on: text?.version ?? 0 }
}

/** Reports whether two drafts have the same words, whichever version they are based on. */
export function areSame(one: Words, other: Words): boolean {
  return one.title === other.title && one.summary === other.summary && one.body === other.body
}

export function useSaveText(id: string, language: Language) {
  return useChange((body: Words) =>
    ask(api.PUT('/api/crm/v1/help-center/articles/{id}/texts/{language}', { params: { path: { id, language } }, body })).then((envelope) => envelope.data),
  )
}

export function usePublish(id: string, language: Language) {
  return useChange((publish: boolean) => {
    const params = { path: { id, language } }
    return publish
      ? ask(api.POST('/api/crm/v1/help-center/articles/{id}/texts/{language}/publish', { params }))
      : ask(api.POST('/api/crm/v1/help-center/articles/{id}/texts/{language}/unpublish', { params }))
  })
}

export function useVersions(id: string, language: Language) {
  return useQuery({
    queryKey: [...key, 'versions', id, language],
    queryFn: () =>
      readAll((page) => ask(api.GET('/api/crm/v1/help-center/articles/{id}/texts/{language}/versions', { params: { path: { id, language }, query: page } }))),
  })
}

export function useRestore(id: string, language: Language) {
  return useChange((number: number) =>
    ask(api.POST('/api/crm/v1/help-center/articles/{id}/texts/{language}/versions/{number}/restore', { params: { path: { id, language, number } } })),
  )
}

export function usePreview(body: string, enabled: boolean) {
  return useQuery({
    queryKey: [...key, 'preview', body],
    queryFn: () => ask(api.POST('/api/crm/v1/help-center/preview', { body: { body } })).then((envelope) => envelope.data.html),
    enabled,
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: (before) => before,
  })
}

export function useImport() {
  return useChange(({ file, language, category }: { file: File; language: Language; category?: string }) =>
    ask(api.POST('/api/crm/v1/help-center/import', { params: { query: { filename: file.name, language, category_id: category } }, ...fileBody(file) })).then((envelope) => envelope.data),
  )
}
