import AuthorityStore
import Crypto
import FlowModel
import Foundation
import OAuth
import Origins

/// The budgets that an attempt is charged to, in this order.
struct AttemptBudgets {
    /// The index of the daily limit over all names of a user, in ``all``; `nil` if no name was typed.
    let unseen: Int?
    /// The index of the budget of all evaluations.
    static let everybody = 0
    /// The index of the answers of one origin, for all persons; before it stand the shares in all evaluations.
    static let origin = 1 + OriginLevels.Level.allCases.count
    /// The index of the answers of one origin against one credential of one person.
    static let own = origin + 1

    /// The charges whose budgets the caller sees.
    let charges: [Charge]
    /// The charges that the caller does not see: the daily limit over all names of a user, and where the user was right.
    let others: [Charge]

    /// All charges, in order.
    var all: [Charge] { charges + others }

    /// The budgets of evaluations.
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
            // An origin with an earlier correct answer is exempt, so that others cannot lock it out.
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
                // It limits nothing: a right answer under one name counts for the others.
                Charge(
                    key: Self.proof(check.credential, by: user, at: origin, key: key),
                    subject: person,
                    rule: .block(max: .max, block: .zero, factor: 1, longest: .zero)
                ),
            ]
        }
    }

    /// The keyed hash by which the caller sees the user that a budget protects: the name if one was typed.
    static func name(of subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user(let user): name("user\u{1F}\(user.oid)", key)
        case .name(let text), .typed(let text, _): typed(text, key: key)
        }
    }

    private static func typed(_ text: String, key: SymmetricKey) -> BudgetKey {
        name("name\u{1F}\(SignInName.folded(text))", key)
    }

    /// The keyed hash of the user that a budget protects, which unlocking goes by; of the name if there is no user.
    static func person(_ subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user, .name: name(of: subject, key: key)
        case .typed(_, let user): name(of: .user(user), key: key)
        }
    }

    /// The budgets that remember a correct answer of the subject at an origin, under whichever name it was given.
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

    /// The budget that remembers a correct answer under any name of a user at an origin.
    private static func proof(
        _ credential: Credential,
        by user: UserID,
        at origin: Origin,
        key: SymmetricKey
    ) -> BudgetKey {
        let person = name(of: .user(user), key: key)
        return name("proof\u{1F}\(credential.rawValue)\u{1F}\(person.text)\u{1F}\(place(origin))", key)
    }

    /// The greatest number of wrong answers of an origin in ten minutes.
    static func most(_ origin: Origin) -> Int {
        switch origin {
        case .local: Attempts.perOrigin
        case .address: Attempts.perAddress
        }
    }

    /// The budgets that exempt from those of a place: strangers at one address do not keep a person from signing in who
    /// has done so there before.
    static func exempting(_ proofs: [BudgetKey], at origin: Origin) -> [BudgetKey] {
        switch origin {
        case .local: []
        case .address: proofs
        }
    }

    /// The charges of an evaluation: to the budget of all, and to the shares of the origin's levels in it.
    static func evaluation(at origin: Origin, provenBy proofs: [BudgetKey] = [], key: SymmetricKey) -> [Charge] {
        shared(
            "everybody",
            SharedRate(Attempts.evaluations, period: .seconds(60), reservedFor: .known(origin.levels)),
            at: origin.levels,
            most: { $0 == .origin ? Attempts.perOriginAndMinute : Attempts.evaluations.mostOfLevel },
            // Only from that of the origin: evaluations are never given back, and one person has many origins.
            exempt: { $0 == .origin ? exempting(proofs, at: origin) : [] },
            key
        )
    }

    /// The charges of a rate that all origins share: to the budget of all, and to the share of each level in it.
    ///
    /// - Parameters:
    ///   - budget: The name of the budget of all.
    ///   - rate: The figures.
    ///   - levels: The levels of the origin.
    ///   - most: Returns the greatest number of a level.
    ///   - exempt: Returns the budgets that exempt from the share of a level.
    ///   - key: The key of names.
    /// - Returns: The charges, that of all first.
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
