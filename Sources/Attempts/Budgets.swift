import AuthorityStore
import Crypto
import FlowModel
import Foundation
import OAuth

/// The budgets that one attempt is charged to, in this order.
struct Budgets {
    /// All answers that are looked at.
    static let everybody = 0
    /// What one uid may try, whomever it is for.
    static let origin = 1
    /// What one uid may try against one credential of one person.
    static let own = 2

    let charges: [Charge]

    init(check: CheckBudget, subject: Subject, origin: Owner, key: SymmetricKey) {
        let person = Self.name(of: subject, key: key)
        let place = Self.place(origin)
        let credential = "\(check.credential.rawValue)\u{1F}\(person.text)"
        let own = Self.own(check.credential, of: subject, at: origin, key: key)
        charges = [
            Self.evaluation(key: key),
            Charge(
                key: Self.name("origin\u{1F}\(place)", key),
                subject: nil,
                rule: .window(max: Attempts.perOrigin, period: .seconds(600))
            ),
            Charge(
                key: own,
                subject: person,
                rule: .block(
                    max: check.maxAttempts,
                    block: check.block,
                    factor: check.backoffFactor,
                    longest: check.backoffMax
                )
            ),
            // An origin that was right before answers to its own budget only, so that others cannot lock it out.
            Charge(
                key: Self.name("hour\u{1F}\(credential)", key),
                subject: person,
                rule: .window(max: Attempts.hourlyLimit, period: .seconds(3600)),
                exemptIfProven: [own]
            ),
            Charge(
                key: Self.name("day\u{1F}\(credential)", key),
                subject: person,
                rule: .window(max: check.dailyLimit, period: .seconds(24 * 3600)),
                exemptIfProven: [own]
            ),
        ]
    }

    /// Whom a budget protects, by a name that tells nobody.
    static func name(of subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user(let user): name("user\u{1F}\(user.oid)", key)
        case .name(let text): name("name\u{1F}\(SignInName.folded(text))", key)
        }
    }

    /// One of the answers of everybody that are looked at.
    static func evaluation(key: SymmetricKey) -> Charge {
        Charge(
            key: name("everybody", key),
            subject: nil,
            rule: .window(max: Attempts.perMinute, period: .seconds(60))
        )
    }

    /// What one uid may try against one credential of one person; it remembers whether it was ever right.
    static func own(_ credential: Credential, of subject: Subject, at origin: Owner, key: SymmetricKey) -> BudgetKey {
        name("own\u{1F}\(credential.rawValue)\u{1F}\(name(of: subject, key: key).text)\u{1F}\(place(origin))", key)
    }

    /// The place from which somebody answers: a share of its own for each uid of a machine, and for each browser.
    static func place(_ origin: Owner) -> String {
        switch origin {
        case .local(let machine, let uid): "\(machine)\u{1F}\(uid)"
        case .browser(let session): "browser\u{1F}\u{1F}\(session)"
        }
    }

    static func name(_ text: String, _ key: SymmetricKey) -> BudgetKey {
        let mac = HMAC<SHA256>.authenticationCode(for: Data("attempts\u{1F}\(text)".utf8), using: key)
        return BudgetKey(Base64URL.encode(Data(mac)))
    }
}
