import Broker
import BrokerAPI

extension ClientAdd: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        var request = AddClientRequest(name: name)
        request.isConfidential = isConfidential
        request.redirectURIs = redirectURIs
        request.scopes = scopes
        request.audience = audience
        let client = try await broker.addClient(request, caller: call.caller)
        return Answer(client: ClientSummary(client), secret: client.secret)
    }
}

extension ClientSummary {
    init(_ answer: ClientAnswer) {
        self.init(
            client: answer.id,
            name: answer.name,
            type: answer.type,
            redirectURIs: answer.redirectURIs,
            scopes: answer.scopes,
            audience: answer.audience,
            configured: answer.isConfigured
        )
    }
}
