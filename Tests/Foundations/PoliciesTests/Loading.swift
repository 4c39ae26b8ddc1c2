import Foundation
import Policies
import StrictYAML

/// Loads policies by file name (without `.yaml`) and `checks.yaml`.
///
/// Returns the catalogue and the printed problems.
func load(
    _ files: [String: String],
    checks: String = "checks: {UserLogin: {type: password}, EmailCode: {type: emailCode}}\n"
) -> (PolicyCatalogue?, [String]) {
    let all = files.merging(["checks": checks]) { mine, _ in mine }
    let (catalogue, problems) = PolicyCatalogue.load(
        files: all.sorted { $0.key < $1.key }.map { .init(path: "p/\($0.key).yaml", text: $0.value) }
    )
    return (catalogue, problems.map(\.description))
}
