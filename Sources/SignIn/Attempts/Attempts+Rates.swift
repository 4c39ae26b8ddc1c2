public import AuthorityStore
public import FlowModel
import OAuth
public import Origins

extension Attempts {
    /// The default limit on e-mail messages in ten minutes, of which one network or local user gets at most a quarter.
    public static let mails = SharedTotal(most: 600)
    /// The hourly limit on e-mail to one address.
    ///
    /// Five of the messages are reserved for origins where the address's user has given a correct answer.
    public static let mailsPerAddressHourly = SharedTotal(most: 15, reserved: 5, mostOfLevel: 15)
    /// The daily limit on e-mail to one address from origins where its user has never given a correct answer.
    public static let mailsPerAddressDaily = SharedTotal(most: 100, reserved: 0, mostOfLevel: 100)

    /// Charges one evaluation, such as the hashing of a new password, which is never refunded.
    ///
    /// - Throws: A `limit_exceeded` refusal with the time to wait, or a `StoreError` if `claim` cannot be written.
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

    /// The maximum number of user codes that one origin can try in ten minutes (RFC 8628 §5.1).
    public static let userCodesPerOrigin = 20
    /// The limit on the number of user codes that all origins together can try in a minute.
    public static let userCodes = SharedTotal(most: 600)

    /// Charges one lookup of a user code without refund, or throws `limit_exceeded` with the time to wait.
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

    /// Charges an e-mail message before it is queued, even if it is not sent because its recipient is unknown.
    ///
    /// Either all budgets are charged or none. Parts of some limits are reserved for origins with a correct answer for
    /// one of `credentials`. If the message is not queued, pass the returned charges to ``giveBack(_:)``.
    ///
    /// - Throws: A `limit_exceeded` refusal with the time to wait.
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

    /// Throws the refusal that ``chargeMail(to:for:provenBy:origin:)`` would throw, without charging the message.
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

    /// A limit on e-mail messages, identified in refusals by its raw value.
    private enum MailLimit: String {
        case mailsPerUid
        case mailsPerUidPerDay
        case mails
        case mailsPerAddressPerHour
        case mailsPerAddressPerDay
    }

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
        // If the operator raises the per-origin limit, the limits for one network and for all origins rise too.
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

    /// Refunds the charges made by ``chargeMail(to:for:provenBy:origin:)`` for a message that was not queued.
    public func giveBack(_ charges: [ChargeKey]) async throws {
        guard !charges.isEmpty else { return }
        do {
            try await store.attempts.settle(charges)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.chargeNotReturned")).because("\(error)")
        }
    }

    /// Makes either all of the charges or none of them.
    func taken(_ charges: [Charge]) async throws -> ChargeOutcome {
        do {
            return try await store.attempts.charge(charges)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.requestNotCounted")).because("\(error)")
        }
    }
}

/// The operator's limits on the e-mail messages that one origin can request.
public struct MailLimits: Hashable, Sendable {
    /// The maximum number of messages in ten minutes.
    public let perOrigin: Int
    /// The maximum number of messages in 24 hours.
    public let perOriginDaily: Int

    /// Creates limits on the messages that one origin can request.
    public init(perOrigin: Int = 30, perOriginDaily: Int = 200) {
        self.perOrigin = perOrigin
        self.perOriginDaily = perOriginDaily
    }
}
