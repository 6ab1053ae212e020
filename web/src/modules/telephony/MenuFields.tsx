import { Plus, Trash2 } from 'lucide-react'
import { fieldText } from '@/api/message'
import { useI18n, type PlainKey } from '@/i18n'
import { useAgents } from '@/modules/agents/agents'
import { Button, IconButton } from '@/ui/Button'
import { Field, Input, Select, Textarea } from '@/ui/Field'
import { useGroups, type MenuKey, type PhoneMenu } from './phoneSettings'

const actions = {
  team: 'menu.action.team',
  group: 'menu.action.group',
  agent: 'menu.action.agent',
  number: 'menu.action.number',
  voicemail: 'menu.action.voicemail',
  callback: 'menu.action.callback',
  menu: 'menu.action.menu',
} as const satisfies Record<MenuKey['action'], PlainKey>

const digits = [...'1234567890*#']

interface Props {
  menus: PhoneMenu[]
  onChange: (menus: PhoneMenu[]) => void
  error: unknown
}

/** Edits what callers choose by pressing a key; callers hear the first menu first. */
export function MenuFields({ menus, onChange, error }: Props) {
  const { t } = useI18n()
  const set = (at: number, menu: PhoneMenu) => onChange(menus.map((other, i) => (i === at ? menu : other)))
  const free = digits.map((_, i) => `menu${String(i + 1)}`).find((name) => !menus.some((menu) => menu.key === name)) ?? 'menu'
  return (
    <div className="flex flex-col gap-4">
      {menus.length === 0 && <p className="text-sm text-ink-2">{t('menu.none')}</p>}
      {menus.map((menu, at) => (
        <fieldset key={at} aria-label={menu.key} className="flex flex-col gap-3 rounded-lg border border-line px-4 py-3">
          <div className="flex items-end gap-3">
            <Field label={t('menu.text')} className="flex-1" error={fieldText(error, 'menus.text')}>
              <Textarea rows={2} maxLength={500} required value={menu.text} onChange={(event) => set(at, { ...menu, text: event.target.value })} />
            </Field>
            <Field label={t('greetings.voice')}>
              <Select value={menu.voice} onChange={(event) => set(at, { ...menu, voice: event.target.value as PhoneMenu['voice'] })}>
                <option value="tr">Türkçe</option>
                <option value="en">English</option>
              </Select>
            </Field>
            <IconButton icon={Trash2} label={t('menu.remove', { name: menu.key })} onClick={() => onChange(menus.filter((_, i) => i !== at))} />
          </div>
          {menu.keys.map((key, i) => (
            <KeyFields
              key={i}
              value={key}
              others={menus.filter((other) => other !== menu).map((other) => other.key)}
              error={error}
              onChange={(next) => set(at, { ...menu, keys: menu.keys.map((k, n) => (n === i ? next : k)) })}
              onRemove={() => set(at, { ...menu, keys: menu.keys.filter((_, n) => n !== i) })}
            />
          ))}
          <div>
            <Button
              size="sm"
              icon={Plus}
              onClick={() => set(at, { ...menu, keys: [...menu.keys, { digit: digits.find((d) => !menu.keys.some((k) => k.digit === d)) ?? '#', action: 'team' }] })}
            >
              {t('menu.addKey')}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...menus, { key: free, text: '', voice: 'tr', keys: [{ digit: '1', action: 'team' }] }])}>
          {t('menu.add')}
        </Button>
      </div>
    </div>
  )
}

interface KeyProps {
  value: MenuKey
  others: string[]
  error: unknown
  onChange: (key: MenuKey) => void
  onRemove: () => void
}

function KeyFields({ value, others, error, onChange, onRemove }: KeyProps) {
  const { t } = useI18n()
  const agents = useAgents()
  const groups = useGroups().data ?? []
  return (
    <div role="group" aria-label={t('menu.key', { digit: value.digit })} className="flex flex-wrap items-end gap-3">
      <Field label={t('menu.digit')}>
        <Select value={value.digit} onChange={(event) => onChange({ ...value, digit: event.target.value })}>
          {digits.map((digit) => (
            <option key={digit} value={digit}>
              {digit}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('menu.does')}>
        <Select value={value.action} onChange={(event) => onChange({ digit: value.digit, action: event.target.value as MenuKey['action'] })}>
          {Object.entries(actions).map(([action, label]) => (
            <option key={action} value={action}>
              {t(label)}
            </option>
          ))}
        </Select>
      </Field>
      {value.action === 'group' && (
        <Field label={t('menu.group')} error={fieldText(error, 'menus.keys.group_id')}>
          <Select value={value.group_id ?? ''} onChange={(event) => onChange({ ...value, group_id: event.target.value })}>
            <option value="" />
            {groups.map((group) => (
              <option key={group.id} value={group.id}>
                {group.name}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {value.action === 'agent' && (
        <Field label={t('phones.name')} error={fieldText(error, 'menus.keys.agent_id')}>
          <Select value={value.agent_id ?? ''} onChange={(event) => onChange({ ...value, agent_id: event.target.value })}>
            <option value="" />
            {agents.rows.map((agent) => (
              <option key={agent.id} value={agent.id}>
                {agent.name || agent.email}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {value.action === 'number' && (
        <Field label={t('calls.number')} error={fieldText(error, 'menus.keys.e164', { invalid_phone: 'calls.invalidPhone', country_not_allowed: 'phoneSettings.countryNotAllowed' })}>
          <Input type="tel" maxLength={30} value={value.e164 ?? ''} onChange={(event) => onChange({ ...value, e164: event.target.value })} />
        </Field>
      )}
      {value.action === 'menu' && (
        <Field label={t('menu.action.menu')} error={fieldText(error, 'menus.keys.menu')}>
          <Select value={value.menu ?? ''} onChange={(event) => onChange({ ...value, menu: event.target.value })}>
            <option value="" />
            {others.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <IconButton icon={Trash2} label={t('menu.removeKey', { digit: value.digit })} onClick={onRemove} />
    </div>
  )
}
