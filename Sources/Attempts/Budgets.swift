import AuthorityStore
import Crypto
import FlowModel
import Foundation
import OAuth

/// The budgets that an attempt is charged to, in this order.
struct Budgets {
    /// The index of the budget of all evaluations.
    static let everybody = 0
    /// The index of one origin's share in all evaluations.
    static let share = 1
    /// The index of the answers of one origin, for all persons.
    static let origin = 2
    /// The index of the answers of one origin against one credential of one person.
    static let own = 3

    let charges: [Charge]

    /// The budgets of evaluations.
    var rates: [BudgetKey] { charges[..<Self.origin].map(\.key) }

    init(check: CheckBudget, subject: Subject, origin: Origin, key: SymmetricKey) {
        let person = Self.name(of: subject, key: key)
        let place = Self.place(origin)
        let credential = "\(check.credential.rawValue)\u{1F}\(person.text)"
        let own = Self.own(check.credential, of: subject, at: origin, key: key)
        let attempt = [
            Charge(
                key: Self.name("origin\u{1F}\(place)", key),
                subject: nil,
                rule: .window(max: Self.most(origin), period: .seconds(600)),
                exemptIfProven: Self.exempting(own, at: origin)
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
            // An origin with an earlier correct answer is exempt, so that others cannot lock it out.
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
        charges = Self.evaluation(at: origin, provenBy: own, key: key) + attempt
    }

    /// The keyed hash of the person whom a budget protects.
    static func name(of subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user(let user): name("user\u{1F}\(user.oid)", key)
        case .name(let text): name("name\u{1F}\(SignInName.folded(text))", key)
        }
    }

    /// The greatest number of wrong answers of an origin in ten minutes.
    private static func most(_ origin: Origin) -> Int {
        switch origin {
        case .local: Attempts.perOrigin
        case .address: Attempts.perAddress
        }
    }

    /// The budgets that exempt from those of a place: strangers at one address do not keep a person from signing in who
    /// has done so there before.
    static func exempting(_ own: BudgetKey, at origin: Origin) -> [BudgetKey] {
        switch origin {
        case .local: []
        case .address: [own]
        }
    }

    /// The charges of an evaluation: to the budget of all, and to the origin's share of it.
    static func evaluation(at origin: Origin, provenBy own: BudgetKey? = nil, key: SymmetricKey) -> [Charge] {
        let everybody = name("everybody", key)
        let share = name("share\u{1F}\(place(origin))", key)
        return [
            Charge(
                key: everybody,
                subject: nil,
                rule: .commons(
                    max: Attempts.perMinute,
                    period: .seconds(60),
                    reserved: Attempts.reservedPerMinute,
                    share: share
                )
            ),
            Charge(
                key: share,
                subject: nil,
                rule: .share(max: Attempts.perOriginAndMinute, of: everybody),
                exemptIfProven: own.map { exempting($0, at: origin) } ?? []
            ),
        ]
    }

    /// The answers of one origin against one credential of one person; it remembers a correct one.
    static func own(_ credential: Credential, of subject: Subject, at origin: Origin, key: SymmetricKey) -> BudgetKey {
        name("own\u{1F}\(credential.rawValue)\u{1F}\(name(of: subject, key: key).text)\u{1F}\(place(origin))", key)
    }

    /// The name of an origin in budgets: one for each uid of a machine, and for each address.
    static func place(_ origin: Origin) -> String {
        switch origin {
        case .local(let machine, let uid): "\(machine)\u{1F}\(uid)"
        case .address(let address): "address\u{1F}\u{1F}\(address)"
        }
    }

    static func name(_ text: String, _ key: SymmetricKey) -> BudgetKey {
        let mac = HMAC<SHA256>.authenticationCode(for: Data("attempts\u{1F}\(text)".utf8), using: key)
        return BudgetKey(Base64URL.encode(Data(mac)))
    }
}
