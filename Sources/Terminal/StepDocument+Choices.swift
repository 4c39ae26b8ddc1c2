import BrokerAPI
import OAuth

extension StepDocument {
    /// The second factors that may be chosen in place of this step, each with its words for people.
    var choices: [(value: String, label: String)] {
        (data?["choices"]?.array ?? []).compactMap { choice in
            guard let value = choice["value"]?.string else { return nil }
            return (value, choice["label"]?.string ?? value)
        }
    }
}
