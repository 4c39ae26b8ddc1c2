import AuthorityStore
import Crypto
import FlowModel
import Foundation
import OAuth
import Origins

/// The budgets that one attempt is charged against, in the order in which they are charged.
struct AttemptBudgets {
    /// The index in ``all`` of the daily limit that covers all of a user's sign-in names, or `nil` if the user did not
    /// type a name.
    let unseen: Int?
    /// The index of the global evaluation budget, which all origins share.
    static let everybody = 0
    /// The index of the origin's budget of wrong answers, counted over all users.
    ///
    /// The shares of the global evaluation budget, one for each origin level, come between ``everybody`` and this
    /// index.
    static let origin = 1 + OriginLevels.Level.allCases.count
    /// The index of the origin's budget of wrong answers for one credential of one user.
    static let own = origin + 1

    /// The charges against budgets whose state the caller can observe.
    let charges: [Charge]
    /// The charges against budgets that are hidden from the caller: the daily limit that covers all of the user's
    /// sign-in names, and the record of right answers.
    let others: [Charge]

    /// The charges against visible and hidden budgets, in order.
    var all: [Charge] { charges + others }

    /// The budgets that limit the evaluation rate.
    ///
    /// Their charges are never refunded.
    var rates: [BudgetKey] { charges[..<Self.origin].map(\.key) }

    init(check: CheckBudget, subject: Subject, origin: Origin, key: SymmetricKey) {
        let person = Self.person(subject, key: key)
        let seen = Self.name(of: subject, key: key)
        let place = Self.place(origin)
        let own = Self.own(check.credential, of: subject, at: origin, key: key)
        let proofs = Self.proofs(check.credential, of: subject, at: origin, key: key)
        func counted(_ period: String, _ whom: BudgetKey) -> BudgetKey {
            Self.name("\(period)\u{1F}\(check.credential.rawValue)\u{1F}\(whom.text)", key)
        }
        func day(_ whom: BudgetKey) -> Charge {
            Charge(
                key: counted("day", whom),
                subject: person,
                rule: .window(max: check.dailyLimit, period: .seconds(24 * 3600)),
                exemptIfProven: proofs
            )
        }
        let attempt = [
            Charge(
                key: Self.name("origin\u{1F}\(place)", key),
                subject: nil,
                rule: .window(max: Self.most(origin), period: .seconds(600)),
                exemptIfProven: Self.exempting(proofs, at: origin)
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
            // An origin with an earlier right answer is exempt, so that attackers elsewhere cannot lock the user out.
            Charge(
                key: counted("hour", seen),
                subject: person,
                rule: .window(max: Attempts.hourlyLimit, period: .seconds(3600)),
                exemptIfProven: proofs
            ),
            day(seen),
        ]
        charges = Self.evaluation(at: origin, provenBy: proofs, key: key) + attempt
        switch subject {
        case .user, .name:
            unseen = nil
            others = []
        case .typed(_, let user):
            unseen = charges.count
            others = [
                day(person),
                // This budget has no limit. It lets a right answer under one name count for the user's other names.
                Charge(
                    key: Self.proof(check.credential, by: user, at: origin, key: key),
                    subject: person,
                    rule: .block(max: .max, block: .zero, factor: 1, longest: .zero)
                ),
            ]
        }
    }

    /// Returns the keyed hash under which a subject's budgets appear to the caller: the hash of the name if one was
    /// typed, otherwise that of the user.
    static func name(of subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user(let user): name("user\u{1F}\(user.oid)", key)
        case .name(let text), .typed(let text, _): typed(text, key: key)
        }
    }

    private static func typed(_ text: String, key: SymmetricKey) -> BudgetKey {
        name("name\u{1F}\(SignInName.folded(text))", key)
    }

    /// Returns the keyed hash of the user that a budget protects, which is used to unlock the user.
    ///
    /// If the subject is a name without a user, returns the hash of the name.
    static func person(_ subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user, .name: name(of: subject, key: key)
        case .typed(_, let user): name(of: .user(user), key: key)
        }
    }

    /// Returns the budgets that record the subject's right answers at an origin, one for each form of the subject.
    static func proofs(
        _ credential: Credential,
        of subject: Subject,
        at origin: Origin,
        key: SymmetricKey
    ) -> [BudgetKey] {
        func own(_ subject: Subject) -> BudgetKey { Self.own(credential, of: subject, at: origin, key: key) }
        switch subject {
        case .name: return [own(subject)]
        case .user(let user): return [own(subject), proof(credential, by: user, at: origin, key: key)]
        case .typed(_, let user):
            return [own(subject), own(.user(user)), proof(credential, by: user, at: origin, key: key)]
        }
    }

    /// Returns the budget that records a user's right answers at an origin, under any sign-in name.
    private static func proof(
        _ credential: Credential,
        by user: UserID,
        at origin: Origin,
        key: SymmetricKey
    ) -> BudgetKey {
        let person = name(of: .user(user), key: key)
        return name("proof\u{1F}\(credential.rawValue)\u{1F}\(person.text)\u{1F}\(place(origin))", key)
    }

    /// Returns the maximum number of wrong answers that an origin can give in ten minutes.
    static func most(_ origin: Origin) -> Int {
        switch origin {
        case .local: Attempts.perOrigin
        case .address: Attempts.perAddress
        }
    }

    /// Returns the budgets that exempt a request from its origin's limits.
    ///
    /// This way, other users of a shared address cannot lock out a user who has already signed in there.
    static func exempting(_ proofs: [BudgetKey], at origin: Origin) -> [BudgetKey] {
        switch origin {
        case .local: []
        case .address: proofs
        }
    }

    /// Returns the charges for one evaluation: one against the global budget, and one against each origin level's share
    /// of it.
    static func evaluation(at origin: Origin, provenBy proofs: [BudgetKey] = [], key: SymmetricKey) -> [Charge] {
        shared(
            "everybody",
            SharedRate(Attempts.evaluations, period: .seconds(60), reservedFor: .known(origin.levels)),
            at: origin.levels,
            most: { $0 == .origin ? Attempts.perOriginAndMinute : Attempts.evaluations.mostOfLevel },
            // Only the origin level is exempt: evaluations are never refunded, and one user can have many origins.
            exempt: { $0 == .origin ? exempting(proofs, at: origin) : [] },
            key
        )
    }

    /// Returns the charges for a rate limit that all origins share: one against the global budget, and one against each
    /// origin level's share of it.
    ///
    /// - Parameters:
    ///   - budget: The name of the global budget.
    ///   - rate: The limits and the period.
    ///   - levels: The levels of the origin, such as its address and its network.
    ///   - most: Returns the maximum number of requests at a level.
    ///   - exempt: Returns the budgets that exempt a request from a level's share.
    ///   - key: The key for hashing names.
    /// - Returns: The charges. The charge against the global budget comes first.
    static func shared(
        _ budget: String,
        _ rate: SharedRate,
        at levels: OriginLevels,
        most: (OriginLevels.Level) -> Int,
        exempt: (OriginLevels.Level) -> [BudgetKey] = { _ in [] },
        _ key: SymmetricKey
    ) -> [Charge] {
        let all = name(budget, key)
        let shares = OriginLevels.Level.allCases.map { level in
            Charge(
                key: name("\(budget) share\u{1F}\(level.rawValue)\u{1F}\(levels[level])", key),
                subject: nil,
                rule: .share(max: most(level), of: all, rate),
                exemptIfProven: exempt(level)
            )
        }
        return [Charge(key: all, subject: nil, rule: .shared(rate))] + shares
    }

    /// Returns the origin's budget of wrong answers for one credential of one user.
    ///
    /// The budget also records a right answer.
    static func own(_ credential: Credential, of subject: Subject, at origin: Origin, key: SymmetricKey) -> BudgetKey {
        name("own\u{1F}\(credential.rawValue)\u{1F}\(name(of: subject, key: key).text)\u{1F}\(place(origin))", key)
    }

    /// Returns the name of an origin in budgets: one for each uid of the machine, and one for each IP address.
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
