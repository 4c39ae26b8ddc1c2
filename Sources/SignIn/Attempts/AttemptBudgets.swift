import AuthorityStore
import Crypto
import FlowModel
import Foundation
import OAuth
import Origins

/// The budgets against which one attempt is charged, in the order of the charges.
struct AttemptBudgets {
    /// The index, within ``all``, of the daily limit for all of the user's sign-in names together, or `nil` if none.
    let unseen: Int?
    /// The index, within ``all``, of the budget that limits the evaluations for all origins together.
    static let everybody = 0
    /// The index, within ``all``, of the budget that limits the origin's wrong answers for all users together.
    static let origin = 1 + OriginLevels.Level.allCases.count
    /// The index, within ``all``, of the budget that limits the origin's wrong answers for one credential of one user.
    static let own = origin + 1

    /// The charges against budgets whose state the caller can observe.
    let charges: [Charge]
    /// The charges against budgets whose state the caller must not observe.
    ///
    /// These budgets are the daily limit for all of the user's sign-in names and the record of the user's correct
    /// answers.
    let others: [Charge]

    var all: [Charge] { charges + others }

    /// The budgets that limit the rate of evaluations, whose charges are never refunded.
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
            // Origins with an earlier correct answer are exempt, so that attackers elsewhere cannot lock the user out.
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
                // This budget never blocks. It makes a correct answer count for all of the user's sign-in names.
                Charge(
                    key: Self.proof(check.credential, by: user, at: origin, key: key),
                    subject: person,
                    rule: .block(max: .max, block: .zero, factor: 1, longest: .zero)
                ),
            ]
        }
    }

    /// Returns the keyed hash of the typed sign-in name or, if no name was typed, the keyed hash of the user's id.
    static func name(of subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user(let user): name("user\u{1F}\(user.oid)", key)
        case .name(let text), .typed(let text, _): typed(text, key: key)
        }
    }

    private static func typed(_ text: String, key: SymmetricKey) -> BudgetKey {
        name("name\u{1F}\(SignInName.folded(text))", key)
    }

    /// Returns the key by which an operator unlocks a subject.
    ///
    /// The key is a keyed hash of the user's id or, if no user has the sign-in name, of the sign-in name.
    static func person(_ subject: Subject, key: SymmetricKey) -> BudgetKey {
        switch subject {
        case .user, .name: name(of: subject, key: key)
        case .typed(_, let user): name(of: .user(user), key: key)
        }
    }

    /// Returns the budgets in which a correct answer from an origin can be recorded.
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

    /// Returns the budget that records a user's correct answers from an origin under any sign-in name.
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

    /// Returns the budgets whose record of a correct answer exempts the user from an IP address's limits.
    ///
    /// Other users of an IP address therefore cannot lock out a user who has signed in from it before. The result is
    /// empty for a local origin, which is never exempt.
    static func exempting(_ proofs: [BudgetKey], at origin: Origin) -> [BudgetKey] {
        switch origin {
        case .local: []
        case .address: proofs
        }
    }

    /// Returns the charges for one evaluation, first for the limit of all origins, then for each level's limit.
    static func evaluation(at origin: Origin, provenBy proofs: [BudgetKey] = [], key: SymmetricKey) -> [Charge] {
        shared(
            "everybody",
            SharedRate(Attempts.evaluations, period: .seconds(60), reservedFor: .known(origin.levels)),
            at: origin.levels,
            most: { $0 == .origin ? Attempts.perOriginAndMinute : Attempts.evaluations.mostOfLevel },
            // Wider levels are never exempt, so that a user with many origins cannot use up the global budget.
            exempt: { $0 == .origin ? exempting(proofs, at: origin) : [] },
            key
        )
    }

    /// Returns a charge against a budget that all origins share, followed by a charge for each level.
    ///
    /// The charge for a level counts against the part of the budget that one name at this level can use.
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

    /// Returns the budget that counts wrong answers and records correct ones for a user's credential at one origin.
    static func own(_ credential: Credential, of subject: Subject, at origin: Origin, key: SymmetricKey) -> BudgetKey {
        name("own\u{1F}\(credential.rawValue)\u{1F}\(name(of: subject, key: key).text)\u{1F}\(place(origin))", key)
    }

    /// Returns an origin's text in budget keys, which contains the machine and the uid, or the IP address.
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
