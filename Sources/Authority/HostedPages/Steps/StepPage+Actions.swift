import FlowModel
import Foundation
import Localization

/// The action buttons of a page, in a form without the answers, so that no typed secret is posted with an action.
extension StepPage {
    func actions(_ texts: PageTexts) -> [String: TemplateValue] {
        var beside: [TemplateValue] = []
        var below: [TemplateValue] = []
        var end: TemplateValue = false
        var cancel: TemplateValue = false
        for action in step.actions {
            let word = action.name.rawValue
            switch action.name {
            case .cancel: cancel = isDecision ? false : button(word, texts.text("action.cancel"), nil)
            case .resend: below.append(button(word, texts.text("action.resend"), nil))
            case .forgot: beside.append(button(word, texts.text("action.forgot"), nil))
            // Each alternative, such as another second factor, has its own button.
            case .choose: below += choices
            case .other: break
            case .create: end = ending("end.create", word, texts.text("action.create"), texts)
            case .back where step.type == .attributes:
                end = ending("end.back", word, texts.text("action.back.attributes"), texts)
            case .back:
                let own = texts.sentence("action.back.\(step.type.rawValue)")
                below.insert(button(word, own ?? texts.text("action.back"), .arrowBack), at: 0)
            }
        }
        for offer in Offer.allCases where offers.contains(offer) {
            let value = button(offer.rawValue, texts.text("action.\(offer.rawValue)"), nil)
            switch offer {
            case .forgot: beside.append(value)
            case .choose, .skip: below.append(value)
            }
        }
        return [
            "actionField": .text(PageForm.Field.action),
            "beside": .list(beside),
            "below": .list(below),
            "resendHint": resendHint(texts),
            "cancel": cancel,
            "end": end,
            "hasSplit": .flag(!beside.isEmpty || keepsSignedIn != nil),
            "hasBelow": .flag(!below.isEmpty),
        ]
    }

    private var choices: [TemplateValue] {
        StepChoice.all(in: step.data).map {
            [
                "actionField": .text(PageForm.Field.choice), "actionWord": .text($0.value),
                "actionLabel": .text($0.label), "actionIcon": false,
            ]
        }
    }

    private func button(_ word: String, _ label: String, _ icon: Icon?) -> TemplateValue {
        [
            "actionWord": .text(word),
            "actionLabel": .text(label),
            "actionIcon": icon.map { .markup($0.mirrored) } ?? false,
        ]
    }

    private func ending(_ key: String, _ word: String, _ label: String, _ texts: PageTexts) -> TemplateValue {
        ["endText": .text(texts.text(key)), "actionWord": .text(word), "actionLabel": .text(label)]
    }

    private func resendHint(_ texts: PageTexts) -> TemplateValue {
        guard let resend = step.actions.first(where: { $0.name == .resend }) else { return false }
        let waits = resend.availableAt.map { Double($0) / 1000 - now.timeIntervalSince1970 } ?? 0
        let seconds = Int(min(max(waits, 0), 86_400).rounded(.up))
        return [
            "hintText": .text(
                seconds > 0 ? texts.text("resend.wait", ["seconds": "\(seconds)"]) : texts.text("resend.now")
            ),
            "wait": seconds > 0 ? .text("\(seconds)s") : false,
        ]
    }
}
