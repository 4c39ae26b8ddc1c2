import FlowModel
import StoreRefusals

extension Flows {
    static let rows = StoreRefusals(
        of: "the store",
        absent: Refusals.flowNotFound,
        crowded: Refusal(.limitExceeded, "too much waits to be written or sent; try again").retrying(afterMs: 1_000)
    )
}
