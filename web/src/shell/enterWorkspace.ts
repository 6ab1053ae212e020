import { api, ask } from '@/api/client'

export async function enterWorkspace(workspaceId: string): Promise<void> {
  await ask(api.POST('/api/v1/auth/app/switch-workspace', { body: { workspace_id: workspaceId } }))
  // Everything on the page belongs to the workspace that was left: it starts afresh.
  window.location.assign('/')
}
