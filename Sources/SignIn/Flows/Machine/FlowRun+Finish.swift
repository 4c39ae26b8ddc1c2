import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowRun {
    /// Ends a flow that has proved everything, with the changes that the person has made.
    mutating func finish() {
        let isNew = record.known.path == .signUp
        if isNew {
            if machine.signUp == .closed { return fail(.denied) }
            // Making an account proves what it is made with.
            for credential in record.inHand.draft?.credentials ?? [] {
                if let check = plan.plannedChecks.first(where: { $0.credential == credential }) { prove(check) }
            }
        }
        guard let user = plan.person else { return fail(.internal) }
        let (known, draft) = (record.known, record.inHand.draft)
        let session = plan.leavesSession ? record.order.requirement.session ?? record.derived("session") : nil
        let changes = plan.changes(at: now)
        change(changes)
        if session != nil { change(plan.remembered) }
        let outcome = FlowOutcome(
            user: user,
            username: isNew ? draft?.name ?? "" : known.person?.username ?? "",
            displayName: isNew ? draft?.attributes["displayName"]?.string : known.person?.displayName,
            pendingRequest: record.order.pendingRequest,
            session: session,
            policy: record.order.policy,
            edit: changes.edit,
            userIdentity: known.proofs.last { $0.identity != nil }?.identity,
            provider: known.proofs.last { $0.credential == .federated }?.check,
            continuesSession: record.order.requirement.session == nil ? nil : true
        )
        record.settle(.accepted)
        end(.succeeded(outcome))
        // Somebody whom the place that began the flow knew already has not signed in by it.
        if !record.order.isAuthenticated { audit(isNew ? .accountCreated : .signInSucceeded) }
        audit(changes)
        audit(.flowSucceeded, ["acr": record.authentication?.acr ?? "0"])
        answer(.accepted)
    }

    /// Writes what a known person has confirmed for the account, where a client is turned away at last.
    ///
    /// The answer to the client is about the client alone: a new password, PIN or authenticator that somebody was told is
    /// theirs stays so. No session is left, and the request is not met.
    mutating func keepChanges() {
        switch record.known.path {
        case .signUp: return
        case .signIn, .reset: break
        }
        guard record.known.person != nil else { return }
        let changes = plan.changes(at: now).filter { !$0.isOfDevice }
        guard changes.contains(where: { $0.audited != nil }) else { return }
        change(changes)
        audit(changes)
    }

    private mutating func audit(_ changes: [AccountChange]) {
        for fact in changes.compactMap(\.audited) where !(changes.setsPassword && fact.kind == .profileChanged) {
            audit(fact.kind, fact.detail)
        }
    }

    /// Records that a check was passed, and with it every other check over its credential that this flow must prove.
    mutating func prove(_ check: Check, identity: ExternalIdentity? = nil) {
        let plan = plan
        let planned = plan.plannedChecks.filter { $0.credential == check.credential }
        record.known.proofs += (planned.isEmpty ? [check] : planned).map {
            Proof(
                check: $0.name,
                credential: $0.credential,
                at: now.wall,
                acr: $0.acr,
                amr: $0.amr,
                // Proved before anything asks, it counts for whatever asks later.
                client: plan.order.pendingRequest == nil ? nil : plan.order.client,
                identity: identity,
                isRemembered: plan.remembers($0) ? true : nil
            )
        }
    }

    /// Records a correct answer to a check, and continues.
    ///
    /// - Parameters:
    ///   - person: The person whom the answer proves; nil if the person was known before.
    ///   - names: The person's names, any of which may have been required.
    ///   - check: The check that was passed.
    mutating func credit(_ person: ProvenPerson?, names: [String], by check: Check) {
        if let person {
            guard accept(person, names: names) else { return }
            record.known.person = person
        }
        prove(check)
        audit(.credentialAccepted, ["credential": check.credential.rawValue])
        advance()
    }

    /// Whether the proven person may answer the flow, which ends otherwise (contract §4, `wrong_user`).
    mutating func accept(_ person: ProvenPerson, names: [String]) -> Bool {
        let isRight =
            switch record.order.requirement.user {
            case .user(let user): user == person.user
            case .signInName(let name): names.contains { Names.areEqual($0, name) }
            case .hint, nil: true
            }
        let isSame = record.known.person.map { $0.user == person.user } ?? true
        if isRight && isSame { return true }
        wrongUser()
        return false
    }
}

extension FlowRecord {
    /// The authentication of a flow that has succeeded.
    var authentication: Authentication? {
        guard let outcome else { return nil }
        var authentication = Authentication(
            user: outcome.user,
            proofs: known.sessionProofs.updated(by: known.proofs),
            consented: known.consented,
            isNewUser: known.path == .signUp
        )
        switch known.path {
        case .reset: authentication.isForgotPassword = true
        case .signIn, .signUp: break
        }
        return authentication
    }
}

extension AccountChange {
    /// Whether it is about the device at which the person signs in.
    fileprivate var isOfDevice: Bool {
        if case .rememberDevice = self { true } else { false }
    }
}
