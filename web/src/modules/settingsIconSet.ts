export {
  AtSign, Blocks, Cable, FileLock2, FolderSync, Globe, HardDrive, KeyRound, LayoutTemplate, ListChecks, MailOpen, Mails, MessageSquareQuote, PenLine, PhoneOff,
  PhoneOutgoing, ScanSearch, ScrollText, Send, Settings2, ShieldAlert, ShieldCheck, ShieldUser, Users, UsersRound, Voicemail, Webhook, Zap,
} from 'lucide-react'
