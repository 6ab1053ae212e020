import { errorText } from '@/api/message'
import { formatDateTime, useI18n } from '@/i18n'
import { Code } from '@/ui/Badge'
import { Button } from '@/ui/Button'
import { Notice } from '@/ui/Notice'
import { useInboundTest, useStartInboundTest } from './channels'

/**
 * Tests whether messages to an account arrive: somebody sends a code as a customer would, and the
 * page shows when it came.
 */
export function InboundTest({ id, ofNumber = false }: { id: string; ofNumber?: boolean }) {
  const { t } = useI18n()
  const test = useInboundTest(id)
  const start = useStartInboundTest(id)
  const error = start.error ?? test.error
  const state = test.data?.state
  return (
    <section className="mb-5" aria-labelledby="inbound-test">
      <h3 id="inbound-test" className="mb-1 font-medium">
        {t('inboundTest.title')}
      </h3>
      <p className="mb-3 text-sm text-ink-2">{t(ofNumber ? 'inboundTest.lead' : 'channels.test.lead')}</p>
      {error && (
        <Notice tone="danger" className="mb-3">
          {errorText(error)}
        </Notice>
      )}
      <div className="mb-3 empty:mb-0">
        {state === 'waiting' && (
          <Notice tone="info">
            {t(ofNumber ? 'inboundTest.send' : 'channels.test.send', { number: test.data?.number ?? '' })} <Code>{test.data?.code}</Code> {t('inboundTest.until', { at: formatDateTime(test.data?.expires_at ?? '') })}
          </Notice>
        )}
        {state === 'verified' && <Notice tone="ok">{t(ofNumber ? 'inboundTest.received' : 'channels.test.received', { at: formatDateTime(test.data?.verified_at ?? '') })}</Notice>}
        {state === 'expired' && <Notice tone="danger">{t(ofNumber ? 'inboundTest.expired' : 'channels.test.expired')}</Notice>}
      </div>
      <Button busy={start.isPending} onClick={() => start.mutate()}>
        {t(state === 'none' || !state ? 'inboundTest.start' : 'inboundTest.again')}
      </Button>
    </section>
  )
}
