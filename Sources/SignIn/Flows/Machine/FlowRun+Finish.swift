import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowRun {
    /// Completes the flow after all checks have been passed, including the changes to the user's account.
    mutating func finish() {
        let isNew = record.known.path == .signUp
        if isNew {
            if machine.signUp == .closed { return fail(.denied) }
            // Creating an account counts as passing the checks for its credentials.
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
        // If the caller's origin had already authenticated the user, this flow is not a sign-in.
        if !record.order.isAuthenticated { audit(isNew ? .accountCreated : .signInSucceeded) }
        audit(changes)
        audit(.flowSucceeded, ["acr": record.authentication?.acr ?? "0"])
        answer(.accepted)
    }

    /// Keeps the changes to the account when the user cancels or refuses consent, without a session or a grant.
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

    /// Records a check as passed, and also every other required check for the same credential.
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
                // If the flow does not answer an authorization request, the passed check counts for every client.
                client: plan.order.pendingRequest == nil ? nil : plan.order.client,
                identity: identity,
                isRemembered: plan.remembers($0) ? true : nil
            )
        }
    }

    /// Records a correct answer to a check, and continues.
    ///
    /// `person` is `nil` if the user was already identified. A required sign-in name must be among `names`.
    mutating func credit(_ person: ProvenPerson?, names: [String], by check: Check) {
        if let person {
            guard accept(person, names: names) else { return }
            record.known.person = person
        }
        prove(check)
        audit(.credentialAccepted, ["credential": check.credential.rawValue])
        advance()
    }

    /// Returns whether `person` is the user that the flow requires, and ends the flow with `wrong_user` if not.
    ///
    /// See contract §4.
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
    fileprivate var isOfDevice: Bool {
        if case .rememberDevice = self { true } else { false }
    }
}
