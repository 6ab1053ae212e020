import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, type Schemas } from '@/api/client'
import { readAll } from '@/api/readAll'

export type Source = Schemas['SourceSource']

const key = ['crm', 'assistant-sources'] as const

/**
 * Reads the pages and files that the assistant answers from, and polls them while one is being
 * fetched.
 */
export function useSources() {
  return useQuery({
    queryKey: key,
    queryFn: () => readAll((query) => ask(api.GET('/api/crm/v1/assistant/sources', { params: { query } }))),
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'pending') ? 2000 : false),
  })
}

function useChange<Input>(change: (input: Input) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: change, onSuccess: () => client.invalidateQueries({ queryKey: key }) })
}

export const useAddPage = () => useChange((body: { address: string; title: string }) => ask(api.POST('/api/crm/v1/assistant/sources', { body })))

export const useUploadSource = () =>
  useChange(({ file, title }: { file: File; title: string }) =>
    ask(
      api.POST('/api/crm/v1/assistant/sources/files', {
        params: { query: { filename: file.name, title } },
        body: file as unknown as string,
        bodySerializer: (body: unknown) => body as BodyInit,
        headers: { 'Content-Type': 'application/octet-stream' },
      }),
    ),
  )

export const useFetchSource = () => useChange((id: string) => ask(api.POST('/api/crm/v1/assistant/sources/{id}/fetch', { params: { path: { id } } })))

export const useDeleteSource = () => useChange((id: string) => ask(api.DELETE('/api/crm/v1/assistant/sources/{id}', { params: { path: { id } } })))

/** Changes a source's title and, for a page, its address; an omitted value is kept. */
export const useChangeSource = (id: string) =>
  useChange((body: { title: string; address?: string }) => ask(api.PATCH('/api/crm/v1/assistant/sources/{id}', { params: { path: { id } }, body })))
