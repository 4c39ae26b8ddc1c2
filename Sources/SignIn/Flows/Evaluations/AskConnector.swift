import Attempts
import CustomIdentity
import FlowModel
import OAuth
import OpenIDClient
import Policies

/// An evaluation that sends data about a new user to one of the policy's API connectors.
struct AskConnector {
    let evaluator: Evaluator

    func run(_ connector: Connector, _ record: FlowRecord) async throws -> EvaluationOutcome {
        guard let client = evaluator.connectors else {
            return EvaluationOutcome(finding: .connector(connector.place, .failed(Refusals.noProvider)))
        }
        let said: ConnectorFinding
        do {
            try await evaluator.attempts.chargeHash(origin: record.origin)
            said = .answer(try await client.ask(connector, Self.claims(connector, record), from: record.origin))
        } catch let refusal as Refusal {
            said = .failed(refusal)
        }
        return EvaluationOutcome(finding: .connector(connector.place, said))
    }

    private static func claims(_ connector: Connector, _ record: FlowRecord) -> [String: JSONValue] {
        var claims = record.inHand.draft?.attributes ?? [:]
        claims["step"] = .string(connector.place.step)
        claims["client_id"] = .string(record.order.client)
        claims["ui_locales"] = record.order.presentation.language.map { .string($0.rawValue) }
        if let identity = record.inHand.draft?.identity {
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
