// Package group keeps the teams that conversations are assigned to. It owns the tables
// crm_group and crm_group_member.
package group
