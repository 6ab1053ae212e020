import { api, ask } from '@/api/client'
import { handoverAddress, isHostOf } from './host'

/**
 * Everything on the page belongs to the workspace being left, so the page is reloaded, at the new
 * workspace's host if it has one.
 */
export async function enterWorkspace(from: string, workspaceId: string): Promise<void> {
  if (!isHostOf(from, window.location.hostname)) {
    await ask(api.POST('/api/v1/auth/app/switch-workspace', { body: { workspace_id: workspaceId } }))
    window.location.assign('/')
    return
  }
  const { data } = await ask(api.POST('/api/v1/auth/handover', { body: { workspace_id: workspaceId } }))
  window.location.assign(handoverAddress(window.location, from, data.workspace.slug, data.code))
}
