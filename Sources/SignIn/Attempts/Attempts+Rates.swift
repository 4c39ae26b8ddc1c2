public import AuthorityStore
public import FlowModel
import OAuth
public import Origins

extension Attempts {
    /// The limit on email messages to all addresses in ten minutes: 600.
    ///
    /// One origin can send at most 150 of them.
    public static let mails = SharedTotal(most: 600)
    /// The limit on email messages to one address in an hour: 10, and 5 more for origins where its user has given a
    /// right answer before.
    public static let mailsPerAddressHourly = SharedTotal(most: 15, reserved: 5, mostOfLevel: 15)
    /// The limit on email messages to one address in 24 hours, from origins where its user has not yet given a right
    /// answer.
    public static let mailsPerAddressDaily = SharedTotal(most: 100, reserved: 0, mostOfLevel: 100)

    /// Charges one evaluation for hashing a new password or for calling an external service on behalf of a user.
    ///
    /// This charge is never refunded.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request.
    ///   - claim: The claim on the submitted answer. See ``charge(check:subject:origin:withholding:claiming:)``.
    /// - Throws: `Refusal`: `limit_exceeded` with the time to wait. With a claim, also `StoreError`.
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
    /// The limit on user codes that all origins together can try in a minute.
    public static let userCodes = SharedTotal(most: 600)

    /// Charges one lookup of a device's user code.
    ///
    /// This charge is never refunded.
    ///
    /// - Parameter origin: The origin of the request.
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

    /// Charges an email message before it is queued, against all budgets that apply or none.
    ///
    /// Unfamiliar origins can use up most of the messages to an address, but not those reserved for origins where the
    /// address's user has given a right answer. No network or uid can use up the share of the others.
    ///
    /// - Parameters:
    ///   - address: The recipient's address. A message for an unknown user is charged too, although it is not sent.
    ///   - subject: The user or sign-in name whose earlier right answers count.
    ///   - credentials: The credentials for which an earlier right answer exempts an origin from the limits on
    ///     unfamiliar origins.
    ///   - origin: The origin of the request.
    /// - Returns: The charges. Pass them to ``giveBack(_:)`` if the message is not queued after all.
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

    /// Rejects a message that ``chargeMail(to:for:provenBy:origin:)`` would reject, without charging for it.
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

    /// A limit on email messages.
    ///
    /// The raw value is the limit's name in a refusal.
    private enum MailLimit: String {
        case mailsPerUid
        case mailsPerUidPerDay
        case mails
        case mailsPerAddressPerHour
        case mailsPerAddressPerDay
    }

    /// Returns the charges for one message, in order, each with the limit it belongs to.
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
        // If the operator lets one origin send more messages, the limits of its network and of all origins are raised
        // too.
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

    /// Returns the refusal to throw when a limit is reached.
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

    /// Makes all the charges, or none of them.
    func taken(_ charges: [Charge]) async throws -> ChargeOutcome {
        do {
            return try await store.attempts.charge(charges)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.requestNotCounted")).because("\(error)")
        }
    }
}

/// The limits on the email messages that one origin can request.
///
/// An operator can configure them.
public struct MailLimits: Hashable, Sendable {
    /// The maximum number of messages in ten minutes.
    public let perOrigin: Int
    /// The maximum number of messages in 24 hours.
    public let perOriginDaily: Int

    /// Creates limits.
    ///
    /// By default, an origin can send 30 messages in ten minutes and 200 in 24 hours.
    public init(perOrigin: Int = 30, perOriginDaily: Int = 200) {
        self.perOrigin = perOrigin
        self.perOriginDaily = perOriginDaily
    }
}
