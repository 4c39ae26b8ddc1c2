import AuthorityStore
import FlowModel

@testable import Flows

extension Conclusion {
    /// A grant to a request that does not exist, which cannot be written, together with other grants.
    static func impossible(
        for user: UserID,
        at owner: Owner,
        handingOver handOvers: [SessionHandOver],
        _ value: Value
    ) -> Conclusion {
        let grant = Issue(
            source: .authentication(requestID: "none"),
            owner: owner,
            user: user,
            expectedEpoch: 0,
            product: nil
        )
        return Conclusion(granting: grant, handingOver: handOvers, value)
    }
}
