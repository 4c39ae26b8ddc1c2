import AuthorityStore
import FlowModel

@testable import Flows

extension Conclusion {
    /// A grant to a request that there is none of, which cannot be written, and what is given beside it.
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
