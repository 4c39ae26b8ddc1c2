import FlowModel
import StoreRefusals

extension BrowserFlows {
    /// The refusals where the authority's store could not do something.
    static let rows = StoreRefusals(
        of: "the authority's database",
        absent: Refusal(.flowNotFound, "there is no such flow"),
        crowded: Refusal(.limitExceeded, "too many people are signing in; try again")
    )
}
