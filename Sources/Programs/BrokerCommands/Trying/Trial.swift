import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import Policies
import Terminal

struct Trial {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The scopes to request, or an empty array for all scopes that the policy grants.
    let scopes: [String]
    let folder: TrialFolder
    let terminal: TerminalDevice

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
            // A step-up policy needs a signed-in user.
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

    private var needsPerson: Bool {
        let isElsewhere = policy.signInChecks.contains { catalogue[check: $0]?.people != nil }
        switch policy.kind {
        case .signUp, .social: return false
        case .signIn, .signUpOrSignIn, .profileEdit, .passwordReset: return !isElsewhere
        case .stepUp: return true
        }
    }

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

/// Prints the mail that the daemon has sent, and then prompts the user.
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

    func showMails(isWaiting: Bool = false) async {
        for mail in await outbox.news(isWaiting: isWaiting) { terminal.show(mail.shown + "\n") }
    }
}
