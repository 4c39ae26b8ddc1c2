import Attempts
import CustomIdentity
import FlowModel
import OAuth
import OpenIDClient
import Policies

/// The word of a connector, as far as it is of use here.
enum ConnectorFinding: Hashable, Sendable {
    /// It has answered.
    case answer(ConnectorAnswer)
    /// It has not, and this is what the caller is told.
    case failed(Refusal)
}

/// Asks a connector of the policy about a person who is new.
struct AskConnector {
    let effects: Effects

    func run(_ connector: Connector, _ state: FlowRunState) async throws -> EvaluationOutcome {
        guard let client = effects.connectors else {
            return EvaluationOutcome(finding: .connector(connector.place, .failed(Refusals.noProvider)))
        }
        let said: ConnectorFinding
        do {
            try await effects.attempts.chargeHash(origin: state.origin)
            said = .answer(try await client.ask(connector, Self.claims(connector, state), from: state.origin))
        } catch let refusal as Refusal {
            said = .failed(refusal)
        }
        return EvaluationOutcome(finding: .connector(connector.place, said))
    }

    /// The attributes that are known and told to it, and where they come from.
    private static func claims(_ connector: Connector, _ state: FlowRunState) -> [String: JSONValue] {
        var claims = state.draft?.attributes ?? [:]
        claims["step"] = .string(connector.place.step)
        claims["client_id"] = .string(state.client)
        claims["ui_locales"] = state.presentation?.language.map { .string($0.rawValue) }
        if let identity = state.draft?.identity {
            claims["identities"] = [
                [
                    "signInType": "federated", "issuer": .string(identity.issuer),
                    "issuerAssignedId": .string(identity.subject),
                ]
            ]
        }
        return claims
    }
}
