import FlowModel
import StoreRefusals

extension Flows {
    static let rows = StoreRefusals(
        of: "the store",
        absent: Refusals.flowNotFound,
        crowded: Refusal(.limitExceeded, "there are too many flows or mails")
    )
}
