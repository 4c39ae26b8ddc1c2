import FlowModel
import Policies

extension FlowMachine {
    /// The effect that makes a code.
    func makeCode(_ recipient: CodeRecipient) -> FlowEffect {
        let name: String? =
            switch recipient {
            case .newAddress, .attributeAddress: nil
            case .person(_, let check), .name(_, let check, _): check
            }
        return .evaluate(.makeCode(recipient, codeCheck(name)))
    }

    /// The check whose budget a code is charged to: its own, or the first over e-mail if an address is proved at
    /// sign-up.
    func codeCheck(_ name: String?) -> Check {
        if let check = name.flatMap({ catalogue[check: $0] }) { return check }
        let first = catalogue.checks.values.filter { $0.type == .emailCode }.min { $0.name < $1.name }
        return first ?? Check(name: "email", type: .emailCode)
    }
}
