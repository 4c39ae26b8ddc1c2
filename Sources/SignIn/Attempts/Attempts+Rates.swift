public import AuthorityStore
public import FlowModel
import OAuth
public import Origins

extension Attempts {
    /// The mails to all addresses in ten minutes, where one origin may have no more than 150 sent.
    public static let mails = SharedTotal(most: 600)
    /// The mails to one address in an hour: 10, and 5 more for origins where its person has given a right answer before.
    public static let mailsPerAddressHourly = SharedTotal(most: 15, reserved: 5, mostOfLevel: 15)
    /// The mails to one address in 24 hours, of origins where its person has given no right answer.
    public static let mailsPerAddressDaily = SharedTotal(most: 100, reserved: 0, mostOfLevel: 100)

    /// Charges the hashing of a new password, or a call outside for a person; this charge is never given back.
    ///
    /// - Parameters:
    ///   - origin: The place that the person comes from.
    ///   - claim: The claim of the answer; see ``charge(check:subject:origin:withholding:claiming:)``.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait. With a claim also `StoreError`.
    public func chargeHash(origin: Origin, claiming claim: FlowCommit? = nil) async throws {
        let charges = AttemptBudgets.evaluation(at: origin, key: lockKey)
        let outcome: ChargeOutcome
        if let claim {
            outcome = try await store.flows.claim(claim, charging: charges)
        } else {
            outcome = try await taken(charges)
        }
        if case .blocked(_, let retryAfterMs) = outcome { throw Self.crowded(retryAfterMs) }
    }

    /// The greatest number of user codes that one place may try in ten minutes (RFC 8628 §5.1).
    public static let userCodesPerOrigin = 20
    /// The user codes that all origins together may try in a minute.
    public static let userCodes = SharedTotal(most: 600)

    /// Charges a look for a device's user code; this charge is never given back.
    ///
    /// - Parameter origin: The place it comes from.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    public func chargeUserCode(origin: Origin) async throws {
        let own = Charge(
            key: AttemptBudgets.name("user codes\u{1F}\(AttemptBudgets.place(origin))", lockKey),
            subject: nil,
            rule: .window(max: Self.userCodesPerOrigin, period: .seconds(600))
        )
        let shared = AttemptBudgets.shared(
            "user codes of all",
            SharedRate(Self.userCodes, period: .seconds(60), reservedFor: .known(origin.levels)),
            at: origin.levels,
            most: { _ in Self.userCodes.mostOfLevel },
            lockKey
        )
        let outcome = try await taken([own] + shared)
        if case .blocked(_, let retryAfterMs) = outcome {
            throw Refusal(.limitExceeded, Text("refusal.tooManyCodes")).retrying(afterMs: retryAfterMs)
        }
    }

    /// Charges a mail before it is queued, against all budgets that it concerns or none.
    ///
    /// Strangers can use up the mails to an address, but not those that are reserved for origins where its person has given
    /// a right answer. No network or user gets more than are left for the others.
    ///
    /// - Parameters:
    ///   - address: The recipient's address, also of a mail that is only made to look as if it were sent.
    ///   - subject: The person it is for.
    ///   - credentials: The credentials of which a proof exempts from the limit of all owners.
    ///   - origin: The owner who asks for it.
    /// - Returns: The charges, for ``giveBack(_:)`` if the mail is not queued after all.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait.
    @discardableResult
    public func chargeMail(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Origin
    ) async throws -> [ChargeKey] {
        let charges = mailCharges(to: address, for: subject, provenBy: credentials, origin: origin)
        switch try await taken(charges.map(\.charge)) {
        case .charged(let keys, _): return keys
        case .blocked(let index, let retryAfterMs): throw mailRefusal(charges[index].limit, retryAfterMs)
        }
    }

    /// Refuses a mail that ``chargeMail(to:for:provenBy:origin:)`` would refuse, and charges nothing.
    public func requireMail(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Origin
    ) async throws {
        let charges = mailCharges(to: address, for: subject, provenBy: credentials, origin: origin)
        let outcome: ChargeOutcome
        do {
            outcome = try await store.attempts.outlook(charges.map(\.charge))
        } catch {
            throw Refusal(.storageFailed, Text("refusal.mailsNotCounted")).because("\(error)")
        }
        if case .blocked(let index, let retryAfterMs) = outcome {
            throw mailRefusal(charges[index].limit, retryAfterMs)
        }
    }

    /// A limit on mails, by its name in a refusal.
    private enum MailLimit: String {
        case mailsPerUid
        case mailsPerUidPerDay
        case mails
        case mailsPerAddressPerHour
        case mailsPerAddressPerDay
    }

    /// The budgets of a mail, in order, each with the limit that it is for.
    private func mailCharges(
        to address: String,
        for subject: Subject,
        provenBy credentials: [Credential],
        origin: Origin
    ) -> [(limit: MailLimit, charge: Charge)] {
        let place = AttemptBudgets.place(origin)
        let folded = SignInName.folded(address)
        let proofs = credentials.flatMap { AttemptBudgets.proofs($0, of: subject, at: origin, key: lockKey) }
        func key(_ name: String) -> BudgetKey { AttemptBudgets.name("mails\u{1F}\(name)", lockKey) }
        let here = AttemptBudgets.exempting(proofs, at: origin)
        func own(_ name: String, _ most: Int, _ period: Duration) -> Charge {
            Charge(key: key(name), subject: nil, rule: .window(max: most, period: period), exemptIfProven: here)
        }
        // Where the operator lets one origin have more mails sent, so may its network, and all origins.
        let total = SharedTotal(most: max(Self.mails.most, 4 * mails.perOrigin))
        let all = AttemptBudgets.shared(
            "mails of all",
            SharedRate(total, period: .seconds(600), reservedFor: .known(origin.levels)),
            at: origin.levels,
            most: { _ in total.mostOfLevel },
            lockKey
        )
        func shared(_ name: String, _ total: SharedTotal, _ period: Duration) -> [Charge] {
            AttemptBudgets.shared(
                "mails\u{1F}\(name)\u{1F}\(folded)",
                SharedRate(total, period: period, reservedFor: .proven(proofs)),
                at: origin.levels,
                most: { _ in total.mostOfLevel },
                exempt: { _ in proofs },
                lockKey
            )
        }
        let daily = shared("address-day", Self.mailsPerAddressDaily, .seconds(24 * 3600)).map {
            Charge(key: $0.key, subject: $0.subject, rule: $0.rule, exemptIfProven: proofs)
        }
        let groups: [(MailLimit, [Charge])] = [
            (.mailsPerUid, [own("uid\u{1F}\(place)", mails.perOrigin, .seconds(600))]),
            (.mailsPerUidPerDay, [own("uid-day\u{1F}\(place)", mails.perOriginDaily, .seconds(24 * 3600))]),
            (.mails, all),
            (.mailsPerAddressPerHour, shared("address-hour", Self.mailsPerAddressHourly, .seconds(3600))),
            (.mailsPerAddressPerDay, daily),
        ]
        return groups.flatMap { limit, charges in charges.map { (limit, $0) } }
    }

    /// The refusal by a limit.
    private func mailRefusal(_ limit: MailLimit, _ retryAfterMs: Int64) -> Refusal {
        let text =
            switch limit {
            case .mailsPerUid: Text("refusal.yourMails", ["count": mails.perOrigin])
            case .mailsPerUidPerDay: Text("refusal.yourMailsOfDay", ["count": mails.perOriginDaily])
            case .mails: Text("refusal.mails")
            case .mailsPerAddressPerHour: Text("refusal.mailsOfAddress")
            case .mailsPerAddressPerDay: Text("refusal.mailsOfAddressAndDay")
            }
        return Refusal(.limitExceeded, text).retrying(afterMs: retryAfterMs).with(.limit, limit.rawValue)
    }

    /// Gives back the charges of ``chargeMail(to:for:provenBy:origin:)`` for a mail that was not queued.
    public func giveBack(_ charges: [ChargeKey]) async throws {
        guard !charges.isEmpty else { return }
        do {
            try await store.attempts.settle(charges)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.chargeNotReturned")).because("\(error)")
        }
    }

    /// Takes all charges or none.
    func taken(_ charges: [Charge]) async throws -> ChargeOutcome {
        do {
            return try await store.attempts.charge(charges)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.requestNotCounted")).because("\(error)")
        }
    }
}

/// Limits on the mails that one owner may have sent; an operator may set them.
public struct MailLimits: Hashable, Sendable {
    /// Mails in ten minutes, at most.
    public let perOrigin: Int
    /// Mails in 24 hours, at most.
    public let perOriginDaily: Int

    /// Limits of one owner.
    public init(perOrigin: Int = 30, perOriginDaily: Int = 200) {
        self.perOrigin = perOrigin
        self.perOriginDaily = perOriginDaily
    }
}
