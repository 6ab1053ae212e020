import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

export function useSignOut(): () => void {
  const client = useQueryClient()
  const navigate = useNavigate()
  return () => void import('./endSession').then(({ endSession }) => endSession(client, () => navigate({ to: '/sign-in' })))
}
