import { Link, Navigate, type LinkProps } from '@tanstack/react-router'
import { useMe } from '@/api/session'
import { useI18n } from '@/i18n'
import { settingsFor } from '@/modules/module'
import { groupNames } from '@/shell/SettingsNav'
import { PageHeader } from '@/ui/PageHeader'

/** An overview of all settings, in words. */
export function SettingsScreen() {
  const { t } = useI18n()
  const groups = settingsFor(useMe())
  // People who may not change the workspace still have their own settings.
  if (groups.length === 0) return <Navigate to="/account" replace />
  return (
    <>
      <PageHeader title={t('settings.title')} lead={t('settings.lead')} />
      <div className="flex flex-col gap-8">
        {groups.map(({ group, entries }) => (
          <section key={group} aria-labelledby={`overview-${group}`}>
            <h2 id={`overview-${group}`} className="mb-3 text-lg font-semibold">
              {t(groupNames[group])}
            </h2>
            <ul className="grid gap-3 sm:grid-cols-2">
              {entries.map((entry) => (
                <li key={entry.path} className="relative flex gap-3.5 rounded-lg border border-line bg-surface p-4 transition-colors hover:border-edge">
                  <span className="flex size-9 shrink-0 items-center justify-center rounded-md bg-accent-soft text-accent-ink">
                    <entry.icon aria-hidden className="size-4.5" strokeWidth={1.9} />
                  </span>
                  <div className="min-w-0">
                    <Link to={entry.path as LinkProps['to']} className="text-base font-semibold after:absolute after:inset-0 after:rounded-lg">
                      {t(entry.title)}
                    </Link>
                    <p className="mt-0.5 text-sm text-ink-2">{t(entry.lead)}</p>
                  </div>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}
