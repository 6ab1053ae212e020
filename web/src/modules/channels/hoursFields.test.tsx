// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import '@/api/testOrigin'
import { afterEach, expect, it } from 'vitest'
import { ApiError } from '@/api/error'
import { fieldText } from '@/api/message'
import { t, withTexts } from '@/i18n'
import { HoursFields } from './HoursFields'

afterEach(cleanup)

it('explains why hours cannot be removed, even if none are shown', async () => {
  await withTexts(() => Promise.resolve(null), 'hours')()
  const refused = new ApiError({ status: 422, code: 'validation_failed', message: 'Some fields need attention.', fields: { business_hours: ['needed_by_assistant'] } })
  const words = fieldText(refused, 'business_hours', { needed_by_assistant: 'channels.hoursNeeded' })
  render(<HoursFields value={null} onChange={() => undefined} hint="" error={words} zoneError={null} spansError={null} />)
  expect(screen.getByRole('alert').textContent).toBe(t('channels.hoursNeeded'))
})
