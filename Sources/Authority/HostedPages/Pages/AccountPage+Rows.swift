import FlowModel
import Foundation
import Localization
import OAuth

extension AccountPage: PageFace {
    static var template: String { "account" }

    var icon: Icon? { nil }

    func title(_ texts: PageTexts) -> String { displayName }

    func lead(_ texts: PageTexts) -> Markup? { Markup(escaping: username) }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        let texts = frame.texts
        let all: [(key: String, field: String, rows: [TemplateValue])] = [
            ("providers", PageForm.Field.unlink, providers.map { row($0, texts) }),
            ("sessions", PageForm.Field.endSession, sessions.map { row($0, texts) }),
            ("devices", PageForm.Field.endDevice, devices.map { row($0, texts) }),
            ("consents", PageForm.Field.endConsent, consents.map { row($0, texts) }),
        ]
        let parts = providers.isEmpty ? Array(all.dropFirst()) : all
        return [
            "isWide": true,
            "form": .object(form.values(step: nil)),
            "initial": .text(displayName.first.map { String($0).uppercased() } ?? ""),
            "signOutField": .text(PageForm.Field.signOut),
            "signOutLabel": .text(texts.text("account.signOut")),
            "changed": change.map { .text(texts.text("account.changed.\($0.rawValue)")) } ?? false,
            "changedIcon": .markup(Icon.check.markup),
            "signingIn": signingIn(texts),
            "parts": .list(
                parts.map { part in
                    [
                        "partID": .text(part.key),
                        "partTitle": .text(texts.text("account.\(part.key)")),
                        "partField": .text(part.field),
                        "partButton": .text(texts.text("account.\(part.key).end")),
                        "rows": .list(part.rows),
                        "empty": part.rows.isEmpty ? .text(texts.text("account.\(part.key).none")) : false,
                    ]
                }
            ),
            "everywhereTitle": .text(texts.text("account.everywhere")),
            "everywhereHint": .text(texts.text("account.everywhere.hint")),
            "everywhereLabel": .text(texts.text("account.everywhere.end")),
            "everywhereIcon": .markup(Icon.signOut.mirrored),
        ]
    }

    private func signingIn(_ texts: PageTexts) -> TemplateValue {
        let links: [(key: String, icon: Icon, address: String?)] = [
            ("profile", .person, profileAddress), ("password", .lock, passwordAddress),
        ]
        let rows = links.compactMap { link in
            link.address.map { address -> TemplateValue in
                [
                    "rowIcon": .markup(link.icon.markup),
                    "rowTitle": .text(texts.text("account.\(link.key)")),
                    "rowHint": .text(texts.text("account.\(link.key).hint")),
                    "rowAddress": .text(address),
                    "rowLabel": .text(texts.text("account.\(link.key).change")),
                ]
            }
        }
        return rows.isEmpty ? false : ["linksTitle": .text(texts.text("account.signingIn")), "links": .list(rows)]
    }

    private func row(_ provider: Provider, _ texts: PageTexts) -> TemplateValue {
        let row: [String: TemplateValue] = [
            "rowIcon": .markup(Icon.letter(of: provider.displayName)),
            "rowID": .text(provider.name),
            "rowTitle": .text(provider.displayName),
            "rowMark": false,
            "canEnd": true,
        ]
        guard let linked = provider.linked else {
            return .object(
                row.merging([
                    "rowHint": .text(texts.text("account.providers.unlinked")),
                    "partField": .text(PageForm.Field.link),
                    "partButton": .text(texts.text("account.providers.link")),
                ]) { $1 }
            )
        }
        let since = texts.text("account.since", ["date": day(linked, texts)])
        return .object(row.merging(["rowHint": .text(since)]) { $1 })
    }

    private func row(_ session: Session, _ texts: PageTexts) -> TemplateValue {
        let since = texts.text("account.since", ["date": day(session.began, texts)])
        let used = session.used.map { texts.text("account.used", ["date": day($0, texts)]) }
        return [
            "rowIcon": .markup(Icon.globe.markup),
            "rowID": .text(session.id),
            "rowTitle": .text(session.browser ?? texts.text("account.browser")),
            "rowMark": session.isCurrent ? .text(texts.text("account.current")) : false,
            "rowHint": .text([since, used].compactMap { $0 }.joined(separator: " · ")),
            "canEnd": .flag(!session.isCurrent),
        ]
    }

    private func row(_ device: Device, _ texts: PageTexts) -> TemplateValue {
        [
            "rowIcon": .markup((device.isTerminal ? Icon.terminal : .screen).markup),
            "rowID": .text(device.id),
            "rowTitle": .text(device.name),
            "rowMark": false,
            "rowHint": .text(texts.text("account.connected", ["date": day(device.connected, texts)])),
            "canEnd": true,
        ]
    }

    private func row(_ consent: Consent, _ texts: PageTexts) -> TemplateValue {
        let since = texts.text("account.since", ["date": day(consent.given, texts)])
        let scopes = consent.scopes.map { texts.words(ofScope: $0, or: $0) }
        return [
            "rowIcon": .markup(Icon.letter(of: consent.name)),
            "rowID": .text(consent.client),
            "rowTitle": .text(consent.name),
            "rowMark": false,
            "rowHint": .text((scopes + [since]).joined(separator: " · ")),
            "canEnd": true,
        ]
    }

    /// Returns the date in UTC, because the server does not know the browser's time zone.
    private func day(_ time: Date, _ texts: PageTexts) -> String {
        var style = Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: texts.language.rawValue))
        style.timeZone = .gmt
        return time.formatted(style)
    }
}
