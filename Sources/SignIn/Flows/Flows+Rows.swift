import Attempts
import AuthorityStore
import Credentials
import Crypto
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import OpenIDClient
import Policies
import Storage
import StoreRefusals

/// The error of a row that has changed since it was read.
struct Conflict: Error {}

/// A flow as the store has it, with the machine of its policy.
struct StoredFlow {
    let row: FlowRow
    /// The revision of the row that the state was written with.
    var rev: Int
    var state: FlowRunState
    /// The rules of its policy; nil if there is no policy of that name now.
    let machine: FlowMachine?
    /// The time at which it was read.
    let readAt: Moment

    /// The state at the time it was read: expired steps have been opened again.
    var now: FlowRunState { passed.0 }

    /// The same, with the effects that are yet to be written.
    var passed: (FlowRunState, [FlowEffect]) {
        if state.isTerminal { return (state, []) }
        guard let machine, machine.policy.digest == state.policyDigest else {
            return FlowMachine.outdated(state, now: readAt)
        }
        return machine.reduce(state, .timePassed, now: readAt)
    }
}

extension Flows {
    /// Loads a flow of this owner; for the caller, another owner's flow does not exist.
    func load(_ id: String, owner: Owner) async throws -> StoredFlow {
        guard id.utf8.count <= FlowLimits.idLength else { throw Refusals.flowNotFound }
        let row = try await Self.rows.storing {
            try await store.flows.get(Self.hash(id), owner: owner)
        }
        guard let row, !row.keptUntil.hasEnded(at: clock.now) else { throw Refusals.flowNotFound }
        guard let stored = try await settled(row) else { throw Refusals.flowNotFound }
        if let ended = stored.state.ended, ended.hasEnded(at: stored.readAt) { throw Refusals.flowNotFound }
        return stored
    }

    /// Reads a row, and writes the end of a flow that its policy or the time has ended since it was written.
    ///
    /// An end is stored before a caller learns of it. It then holds even if the old policy or the clock is set back.
    ///
    /// - Returns: The flow; nil if its row is gone.
    func settled(_ row: FlowRow) async throws -> StoredFlow? {
        var row = row
        for _ in 0..<Self.mostTries {
            var stored = try read(row)
            let (state, effects) = stored.passed
            guard state.isTerminal, !stored.state.isTerminal else { return stored }
            do {
                stored.state = try await write(state, effects, over: stored, Caller(owner: row.owner))
                stored.rev = stored.state.rev
                return stored
            } catch is Conflict {
                let (id, owner) = (row.idHash, row.owner)
                guard let changed = try await Self.rows.storing({ try await store.flows.get(id, owner: owner) }) else {
                    return nil
                }
                row = changed
            }
        }
        throw Refusals.submissionInProgress
    }

    /// Writes the ends of all open flows whose policy is not the one that they began with.
    ///
    /// Call it after the policies were loaded or replaced. A flow whose end cannot be written now ends at its next use.
    public func endOutdated() async {
        var last = ""
        do {
            while case let rows = try await store.flows.open(after: last, limit: Self.sweepBatch), !rows.isEmpty {
                for row in rows { await end(row) }
                last = rows.last?.idHash ?? last
            }
        } catch {
            logger.error("flows of changed policies were not ended", metadata: ["error": "\(error)"])
        }
    }

    /// Writes the end of a flow that the time or its policy has ended; logs what prevents it.
    func end(_ row: FlowRow) async {
        do {
            _ = try await settled(row)
        } catch {
            logger.warning("a flow was not ended", metadata: ["flow": "\(row.idHash)", "error": "\(error)"])
        }
    }

    /// Reads a row.
    func read(_ row: FlowRow) throws -> StoredFlow {
        var state: FlowRunState
        do {
            state = try JSONDecoder().decode(FlowRunState.self, from: row.state)
        } catch {
            logger.error("a flow cannot be read", metadata: ["flow": "\(row.idHash)"])
            throw Refusals.storageFailed("the state of a flow cannot be decoded")
        }
        if !row.isOpen, !state.isTerminal {
            FlowMachine.end(&state, .cancelled, kept: row.keptUntil)
            state.rev = row.rev
        }
        let catalogue = catalogue()
        let machine = catalogue[state.policy].map {
            FlowMachine(
                policy: $0,
                catalogue: catalogue,
                runner: runs.own,
                today: CalendarDay(secondsSince1970: clock.now.seconds),
                isLive: runs.contains,
                signUp: signUp(),
                outbox: outbox,
                providerName: providerName
            )
        }
        return StoredFlow(row: row, rev: row.rev, state: state, machine: machine, readAt: clock.now)
    }

    /// The flow as its owner sees it, with the attempts left to its step.
    func shown(_ state: FlowRunState, by machine: FlowMachine?) async throws -> Flow {
        guard let machine else { return FlowMachine.outline(state) }
        let context = machine.context(state)
        return context.view(attempts: try await Self.rows.storing { try await effects.attemptsLeft(context) })
    }

    /// A stored flow as its owner sees it now.
    func shown(_ stored: StoredFlow) async throws -> Flow {
        try await shown(stored.now, by: stored.machine)
    }

    /// Runs `body` on the current flow, again if the row has changed meanwhile.
    func changing<T: Sendable>(
        _ id: String,
        owner: Owner,
        _ body: (StoredFlow, Moment) async throws -> T
    ) async throws -> T {
        for _ in 0..<Self.mostTries {
            do {
                return try await body(try await load(id, owner: owner), clock.now)
            } catch is Conflict {
                continue
            }
        }
        throw Refusals.submissionInProgress
    }

    /// Writes a state with the effects that belong to it.
    ///
    /// - Returns: The state that was written; it differs if the name of a new user turned out to be taken.
    /// - Throws: ``Conflict`` if the row has changed meanwhile; `Refusal`.
    func write(
        _ state: FlowRunState,
        _ wanted: [FlowEffect],
        over stored: StoredFlow,
        settled: [ChargeKey] = [],
        _ caller: Caller
    ) async throws -> FlowRunState {
        var summary = EffectSummary()
        summary.take(wanted)
        let texts = stored.machine?.context(state).texts ?? Texts(for: [])
        let mails = summary.mails.map(texts.mail)
        let row = row(of: state, like: stored.row)
        do {
            if let plan = summary.finish, let machine = stored.machine {
                let session = try await session(plan, state, machine)
                var finish = FlowCommit(flow: row, expectedRev: stored.rev, authentication: plan.authentication)
                if let draft = plan.draft {
                    finish.newUser = UserRecord(draft, id: plan.user, at: clock.now)
                    finish.newIdentity = draft.identity.map {
                        FederatedIdentity(issuer: $0.issuer, subject: $0.subject, provider: $0.provider)
                    }
                    finish.proven = effects.attempts.proofs(
                        of: Set(draft.credentials + plan.authentication.proofs.map(\.credential)),
                        by: plan.user,
                        at: state.origin
                    )
                }
                if let identity = plan.identity {
                    finish.newIdentity = FederatedIdentity(
                        issuer: identity.issuer,
                        subject: identity.subject,
                        provider: identity.provider
                    )
                }
                finish.linksOnce = plan.isLink
                finish.removed = plan.removed
                finish.unlinked = plan.unlinked.map { ($0, signInMethods) }
                if let hash = plan.pin {
                    finish.enrolment = Enrolment(
                        .pin,
                        of: plan.user,
                        at: state.owner,
                        secret: Secret(bytes: hash),
                        enrolledAt: clock.now.wall
                    )
                    finish.proven += effects.attempts.proofs(of: [.pin], by: plan.user, at: state.origin)
                }
                if let hash = plan.password {
                    finish.newPassword = Secret(bytes: hash)
                    finish.unlocked = effects.attempts.budgets(of: plan.user)
                    finish.proven += effects.attempts.proofs(of: [.password], by: plan.user, at: state.origin)
                }
                finish.profile = plan.profile
                if let new = plan.authenticator {
                    finish.authenticator = (
                        Authenticator(user: plan.user, key: new.key.secret, step: new.step, enrolledAt: clock.now.wall),
                        new.recoveryCodes.map(\.folded)
                    )
                    finish.proven += effects.attempts.proofs(of: [.totp], by: plan.user, at: state.origin)
                }
                finish.device = plan.device.map { KnownDevice(name: $0, life: SecondFactor.deviceLife) }
                if session != nil {
                    finish.remembered = state.proofs.filter { $0.isRemembered == true }.compactMap { proof in
                        machine.catalogue[check: proof.check].map { (proof: proof, life: $0.rememberMe) }
                    }
                    finish.unremembered = Set(state.proofs.map(\.credential))
                        .subtracting(finish.remembered.map(\.proof.credential))
                }
                finish.needsInvitation = machine.signUp == .invited
                finish.settled = settled
                finish.pendingRequest = state.state == .succeeded ? state.pendingRequest : nil
                finish.session = session
                finish.origin = state.origin.levels
                finish.mails = mails
                finish.events = state.events(summary.audit, caller, user: plan.user)
                try await store.flows.finish(finish)
            } else {
                let events = state.events(summary.audit, caller, user: state.person?.user)
                try await store.flows.save(
                    row,
                    expectedRev: stored.rev,
                    mails: mails,
                    events: events,
                    settled: settled
                )
            }
        } catch let error as StoreError {
            return try await recover(
                from: error,
                finishing: summary.finish,
                over: stored,
                settled: settled,
                caller
            )
        }
        if !mails.isEmpty { mailQueued() }
        if let plan = summary.finish, let edit = plan.withdrawn { await changes.edited(edit, of: plan.user) }
        changes.changed(state.id)
        return state
    }

    /// Writes the state of a flow whose end could not be written as it was.
    private func recover(
        from error: StoreError,
        finishing plan: FinishPlan?,
        over stored: StoredFlow,
        settled: [ChargeKey],
        _ caller: Caller
    ) async throws -> FlowRunState {
        if error.code == .conflict { throw Conflict() }
        guard let plan, let machine = stored.machine else { throw Self.rows.refusal(error) }
        switch error.code {
        case .nameTaken where plan.takesIdentity && !stored.state.isLinking:
            // Another flow made the account of the same person just now; signing in again finds it.
            let (next, wanted) = machine.fail(stored.state, .denied, now: clock.now)
            return try await write(next, wanted, over: stored, settled: settled, caller)
        case .nameTaken:
            let (next, wanted) = machine.reduce(stored.state, .evaluated(.nameTaken), now: clock.now)
            return try await write(next, wanted, over: stored, settled: settled, caller)
        case .consumed where stored.state.requirement.change?.unlinks == true:
            let (next, wanted) = machine.keepLastWayIn(stored.state, now: clock.now)
            return try await write(next, wanted, over: stored, settled: settled, caller)
        case .disabled, .expired, .consumed, .notFound:
            let (next, wanted) = machine.fail(
                stored.state,
                error.code == .expired ? .expired : .denied,
                now: clock.now
            )
            return try await write(next, wanted, over: stored, caller)
        default: throw Self.rows.refusal(error)
        }
    }

    private func session(
        _ plan: FinishPlan,
        _ state: FlowRunState,
        _ machine: FlowMachine
    ) async throws -> SessionRow? {
        guard let id = plan.session else { return nil }
        let rule = machine.policy.session
        let now = clock.now
        let old = try await store.sessions.live(owner: state.owner, user: plan.user).first { $0.id == id }
        let longest = rule.longest(window: machine.policy.tokens.slidingWindow)
        let absolute = old?.absoluteEnd ?? Deadline(longest, after: now)
        return SessionRow(
            id: id,
            owner: state.owner,
            user: plan.user,
            proofs: plan.authentication.proofs,
            policy: old?.policy ?? state.policy.description,
            client: old?.client ?? state.client,
            scope: old?.scope ?? rule.scope,
            createdAt: old?.createdAt ?? now.wall,
            ends: Deadline(rule.lifetime, after: now).earlier(absolute),
            absoluteEnd: absolute
        )
    }

    /// The row of a new flow.
    func row(of state: FlowRunState, requestID: String?, joinKey: String?, createdAt: Int64) -> FlowRow {
        FlowRow(
            idHash: Self.hash(state.id),
            owner: state.owner,
            user: state.user,
            client: state.client,
            policy: state.policy.description,
            state: Self.encode(state),
            rev: state.rev,
            isOpen: !state.isTerminal,
            requestID: requestID,
            joinKey: joinKey,
            createdAt: createdAt,
            expires: state.ends,
            keptUntil: state.ended ?? state.ends.later(by: FlowLimits.terminalKept)
        )
    }

    private func row(of state: FlowRunState, like row: FlowRow) -> FlowRow {
        self.row(of: state, requestID: row.requestID, joinKey: row.joinKey, createdAt: row.createdAt)
    }

    private static func hash(_ id: String) -> String { Base64URL.encode(Data(SHA256.hash(data: Data(id.utf8)))) }

    private static func encode(_ state: FlowRunState) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(state)
        } catch {
            preconditionFailure("a flow's state is JSON: \(error)")
        }
    }

    /// The greatest number of tries of a change to a flow that changes meanwhile.
    static let mostTries = 16
}

extension FlowRunState {
    /// The person that the flow is for, as far as known.
    var user: UserID? {
        if let person { return person.user }
        if let finished { return finished.user }
        if case .user(let user) = requirement.user { return user }
        return nil
    }
}
