import Attempts
import AuthorityStore
import CustomIdentity
import FlowModel
import Moments
import OAuth
import OpenIDClient
import Policies

/// The words of a custom identity provider, as far as they are of use here.
enum RealmFinding: Hashable, Sendable {
    /// It asks the person something.
    case challenge(RealmChallenge)
    /// It knows the person; with the account here, if there is one.
    case person(ExternalIdentity, ProvenPerson?, names: [String])
    /// It lets nobody in.
    case failure
}

/// Asks a custom identity provider; an answer to its challenge is charged before it is sent.
///
/// Only the provider knows which answers are wrong: each counts until the conversation ends well, and none does if the provider
/// could not judge it.
struct AskRealm {
    let effects: Effects

    func run(_ call: RealmCall, _ check: Check, _ state: FlowRunState) async throws -> EvaluationOutcome {
        guard let realms = effects.realms, let realm = check.realm else { throw Refusals.noProvider }
        let (subject, origin) = (state.realmSubject(realm.issuer), state.origin)
        var ticket: ChargeTicket?
        switch call {
        case .startAuthorization:
            if let named = state.realmNamed(realm.issuer) {
                try await effects.requireAttempts(check, named, origin: origin)
            }
        case .handleChallengeAnswer: ticket = try await effects.charge(check, subject, origin: origin)
        }
        do {
            let answer = try await realms.client.ask(realm, call, headers: Self.headers(realm, state), from: origin.key)
            return try await evaluated(answer, realm, ticket, check, subject, origin)
        } catch let error as ProviderError {
            if let ticket {
                try await effects.attempts.giveBack(ticket, check: CheckBudget(check), subject: subject, origin: origin)
            }
            throw Refusal(error, ofProvider: realm.name)
        }
    }

    private func evaluated(
        _ answer: RealmAnswer,
        _ realm: CustomRealm,
        _ ticket: ChargeTicket?,
        _ check: Check,
        _ subject: Subject,
        _ origin: Origin
    ) async throws -> EvaluationOutcome {
        switch answer {
        case .challenge(let challenge):
            if ticket?.isLast == true,
                case .exhausted(let wait) = try await effects.wrong(check, subject, origin: origin)
            {
                return EvaluationOutcome(finding: .exhausted(retryAfterMs: wait))
            }
            return EvaluationOutcome(finding: .realm(.challenge(challenge), check))
        case .failure: return EvaluationOutcome(finding: .realm(.failure, check))
        case .success(let identity):
            return try await effects.found(identity, of: realm.issuer, check, settled: ticket?.settled ?? [])
        }
    }

    private static func headers(_ realm: CustomRealm, _ state: FlowRunState) -> [String: String] {
        var headers: [String: String] = [:]
        for header in realm.passHeaders {
            switch header {
            case .acceptLanguage: headers[header.rawValue] = state.presentation?.language?.rawValue
            case .clientID: headers[header.rawValue] = state.client
            case .policy: headers[header.rawValue] = state.policy.description
            }
        }
        return headers
    }
}

extension Effects {
    /// The finding of somebody whom a provider of one's own knows, with the account here: that of the same realm and name.
    func found(
        _ identity: ExternalIdentity,
        of people: String,
        _ check: Check,
        settled: [ChargeKey]
    ) async throws -> EvaluationOutcome {
        let user = try await store.identities.user(issuer: people, subject: identity.userName)
        guard user?.enabled != false else { return EvaluationOutcome(finding: .realm(.failure, check)) }
        let names = user?.signInNames.map(\.value) ?? []
        return EvaluationOutcome(
            finding: .realm(.person(identity, user.map { ProvenPerson($0) }, names: names), check),
            settled: settled
        )
    }
}
