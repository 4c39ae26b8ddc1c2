import Broker
import BrokerAPI

extension AuthorityList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(
            authorities: try await broker.outsideAuthorities(caller: call.caller),
            redirectURI: broker.outsideRedirectURI
        )
    }
}
