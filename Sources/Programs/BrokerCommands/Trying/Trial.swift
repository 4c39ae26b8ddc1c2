import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import Policies
import Terminal

/// A walk through one policy, with a daemon of its own.
struct Trial {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The scopes to ask for; empty for all that the policy grants.
    let scopes: [String]
    let folder: TrialFolder
    let terminal: TerminalDevice

    /// Starts the daemon, makes the person whom the policy needs, and walks it to its end.
    ///
    /// - Throws: The failure that ended it, as of any command that runs a flow.
    func walk(_ correlation: CorrelationID) async throws -> TrialOutcome {
        let person = needsPerson ? TrialPerson(policy, catalogue) : nil
        try person?.policyFile(in: folder)
        let daemon = try TrialDaemon(folder, policy, catalogue, person)
        defer { daemon.end() }
        let outbox = TrialOutbox(folder.outbox)
        if let person {
            let maker = broker(person.answers(outbox), correlation)
            try await daemon.ready(maker)
            _ = try await maker.runFlow(policy: TrialPerson.policy)
            // A step-up is for somebody who is signed in already.
            if !policy.kind.stepsUp { _ = try await maker.signOut(.all) }
            await maker.close()
            terminal.show(person.introduction + "\n")
        }
        let handler = TrialHandler(questions: Questions(terminal: terminal), outbox: outbox, terminal: terminal)
        let broker = broker(handler, correlation)
        if person == nil { try await daemon.ready(broker) }
        var request = AcquireRequest(scopes: scopes.isEmpty ? stepUpScopes : scopes)
        request.policy = policy.id.description
        let token = try await broker.acquireToken(request)
        await broker.close()
        await handler.showMails()
        return TrialOutcome(token, policy)
    }

    /// True if only somebody who has an account here comes through the policy.
    private var needsPerson: Bool {
        let isElsewhere = policy.signInChecks.contains { catalogue[check: $0]?.people != nil }
        switch policy.kind {
        case .signUp, .social: return false
        case .signIn, .signUpOrSignIn, .profileEdit, .passwordReset: return !isElsewhere
        case .stepUp: return true
        }
    }

    /// The scopes that a policy that steps up grants for what it asks; it grants none by itself.
    private var stepUpScopes: [String] {
        guard policy.kind.stepsUp else { return [] }
        return policy.scopes.filter { Set($0.value).isSubset(of: policy.mandatoryScope) }.keys.sorted()
    }

    private func broker(_ handler: any ChallengeHandler, _ correlation: CorrelationID) -> BrokerClient {
        BrokerClient(
            SocketLocation(paths: [folder.socket]),
            correlationID: correlation,
            language: ScreenLanguage.tag(environment: ProcessInfo.processInfo.environment),
            handlers: ChallengeHandlers(fallback: handler)
        )
    }
}

/// Shows the mails that went out, and asks the person.
private struct TrialHandler: ChallengeHandler {
    let questions: Questions
    let outbox: TrialOutbox
    let terminal: TerminalDevice

    func answer(_ challenge: Challenge) async throws -> Answer {
        let isWaiting =
            challenge.step.type == .code && challenge.refusal == nil
            && !challenge.step.messages.contains { $0.level == .error }
        await showMails(isWaiting: isWaiting)
        return try await questions.answer(challenge)
    }

    /// Shows the mails that were not shown yet.
    func showMails(isWaiting: Bool = false) async {
        for mail in await outbox.news(isWaiting: isWaiting) { terminal.show(mail.shown + "\n") }
    }
}
