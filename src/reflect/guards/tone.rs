//! Checks for a neutral tone: no praise, no blame, no exclamation, no emoji.
//!
//! Never rejects the user's own opinions: "User hates cilantro" is a fact. Based on lists of judging words; a judgement
//! in other words passes.

use super::{GuardFinding, GuardText, Violation};
use crate::text::phrase::{PhrasePatterns, WordToken, is_capitalized, matched_text};
use crate::text::prose_mask::mask_phrases;

#[rustfmt::skip]
const JUDGING_WORDS: &[&str] = &[
    "abhorrent", "abominable", "abrasive", "absolutely", "abysmal", "abysmally", "admirable", "admirably", "admired", "adorable", "adorably", "aggravating", "agonizing", "alarmingly", "alas",
    "amateurish", "amazing", "amazingly", "amusing", "annoying", "annoyingly", "appalling", "appallingly", "appealing", "applaudable", "arrogant", "artful", "asinine", "astonishing",
    "astonishingly", "astounding", "astoundingly", "atrocious", "atrociously", "awesome", "awestruck", "awful", "awfully", "badass", "baffling", "beautiful", "beautifully", "bizarre",
    "bizarrely", "bland", "blazing", "bliss", "blissful", "blissfully", "blunder", "blundering", "bogus", "boneheaded", "bonkers", "boring", "boringly", "botched", "braindead", "brainless",
    "bravely", "bravo", "breathtaking", "breezy", "brilliant", "brilliantly", "brutal", "brutally", "bulletproof", "bullshit", "bumbling", "bungled", "bungling", "calamitous", "captivating",
    "careless", "carelessly", "catastrophic", "charismatic", "charming", "charmingly", "cheerful", "cheesy", "cherished", "childish", "classy", "clever", "cleverly", "clownish", "clueless",
    "cluelessly", "clumsy", "clunky", "cocky", "comical", "commendable", "condescending", "congrats", "congratulations", "conscientious", "contemptible", "convoluted", "coolest", "corny",
    "courageous", "coward", "cowardice", "cowardly", "cozy", "crap", "crappiest", "crappy", "crazy", "creepy", "cringe", "cringeworthy", "crummy", "cumbersome", "cunning", "cute", "damn", "darn",
    "dashing", "daunting", "dazzled", "dazzling", "dazzlingly", "deft", "deftly", "delectable", "delicious", "delighted", "delightful", "delightfully", "demoralizing", "deplorable", "deranged",
    "despicable", "detestable", "devious", "diligent", "diligently", "disappointing", "disappointingly", "disaster", "disasters", "disastrous", "disgrace", "disgraceful", "disgusted",
    "disgusting", "disheartening", "dishonest", "dismal", "dismaying", "dodgy", "downright", "dreaded", "dreadful", "dreamy", "dreary", "drivel", "dull", "dumb", "dummy", "ecstatic",
    "effortless", "effortlessly", "egregious", "elated", "elegant", "elegantly", "embarrassing", "embarrassingly", "embarrassment", "enchanting", "enraging", "enthralling", "enthusiastically",
    "enviable", "enviably", "epic", "exasperating", "excellent", "exceptional", "exceptionally", "exciting", "excitingly", "excruciating", "excruciatingly", "exemplary", "exhilarating",
    "exquisite", "exquisitely", "extraordinarily", "extraordinary", "fab", "fabulous", "fabulously", "fantastic", "fantastically", "farcical", "fascinating", "fearless", "fearsome", "feisty",
    "fiasco", "fiendish", "filthy", "finest", "flaky", "flashy", "flawless", "flawlessly", "flimsy", "fool", "foolish", "foolishly", "fortunately", "freaking", "friendliest", "frightful",
    "frustrating", "frustratingly", "funniest", "generous", "generously", "genial", "genius", "geniuses", "ghastly", "gifted", "gladly", "gleeful", "gloomy", "glorious", "gloriously", "goofy",
    "gorgeous", "graceful", "gracefully", "gracious", "graciously", "grandiose", "grandly", "gratifying", "great", "greatest", "greedy", "grotesque", "groundbreaking", "gruesome", "grumpy",
    "haha", "haphazard", "hapless", "hardworking", "harrowing", "hateful", "heartbreaking", "heartfelt", "heartwarming", "heavenly", "heinous", "hellish", "heroic", "heroically", "hideous",
    "hideously", "hilarious", "honorable", "hooray", "hopefully", "hopeless", "horrendous", "horrible", "horribly", "horrid", "horrific", "horrifying", "humbling", "humiliating", "hurray",
    "hypocritical", "idiocy", "idiot", "idiotic", "idiotically", "idiots", "ignorantly", "illustrious", "imbecile", "immaculate", "immature", "immensely", "impeccable", "impeccably", "impressed",
    "impressive", "impressively", "inane", "incompetence", "incompetent", "incomprehensible", "inconsiderate", "incredible", "incredibly", "indispensable", "inept", "inexcusable", "inexplicable",
    "inexplicably", "infamous", "infuriating", "ingenious", "insane", "insanely", "insightful", "inspirational", "inspiring", "insufferable", "insulting", "intolerable", "intriguing",
    "intuitively", "invaluable", "ironically", "irresistible", "irritating", "jerk", "jolly", "joyful", "joyfully", "joyous", "kickass", "kudos", "lackluster", "lacklustre", "lame", "lamentable",
    "laudable", "laughable", "laughably", "lavish", "lazily", "lazy", "legendary", "likable", "likeable", "loathsome", "lol", "loser", "lousy", "lovable", "lovely", "lovingly", "luckily",
    "lucky", "ludicrous", "luscious", "maddening", "maddeningly", "magical", "magically", "magnificent", "magnificently", "majestic", "marvellous", "marvelous", "marvelously", "masterful",
    "masterfully", "masterpiece", "mediocre", "mesmerizing", "mess", "meticulously", "mindblowing", "mindless", "mindlessly", "miraculous", "miserable", "misguided", "monstrous", "monumental",
    "moron", "moronic", "mouthwatering", "muddled", "nasty", "nauseating", "negligent", "nerdy", "nice", "nicely", "nifty", "nightmare", "nightmarish", "nonsense", "nonsensical", "notoriously",
    "obnoxious", "obnoxiously", "obscene", "obsessed", "oddly", "odious", "omg", "ominous", "ooh", "oops", "outrageous", "outstanding", "overjoyed", "overpriced", "overrated", "overwhelming",
    "painfully", "painstaking", "painstakingly", "passionately", "pathetic", "pathetically", "perfect", "perfection", "perfectly", "petty", "phenomenal", "picturesque", "pitiful", "pity",
    "pleasant", "pleasantly", "poignant", "pointless", "praiseworthy", "preposterous", "pretentious", "priceless", "profoundly", "proudly", "radiant", "reckless", "recklessly", "refreshing",
    "refreshingly", "regrettable", "regrettably", "relentless", "remarkable", "remarkably", "repulsive", "resourceful", "revolting", "ridiculous", "ridiculously", "rockstar", "rotten", "rubbish",
    "rude", "ruthless", "sad", "sadly", "savvy", "scandalous", "scary", "scrumptious", "selfish", "selfless", "sensational", "senseless", "shabby", "shady", "shameful", "shamefully", "shameless",
    "shit", "shitty", "shocking", "shockingly", "shoddy", "sickening", "silky", "silly", "sinister", "skillful", "skillfully", "sleazy", "sleek", "slipshod", "sloppy", "sluggishly", "smartly",
    "smelly", "smooth", "smoothly", "smug", "snappy", "sneaky", "soothing", "sophomoric", "soulless", "spectacular", "spectacularly", "spineless", "splendid", "splendidly", "staggering",
    "stellar", "stingy", "stink", "stinks", "strikingly", "stubborn", "stubbornly", "stunning", "stunningly", "stupefying", "stupendous", "stupid", "stupidity", "stupidly", "stylish", "sublime",
    "subpar", "suck", "suckers", "sucks", "superb", "superbly", "superhuman", "superlative", "superstar", "surprisingly", "surreal", "sweetest", "tacky", "tactless", "talented", "tasteful",
    "tasteless", "terrible", "terribly", "terrific", "terrifically", "terrifying", "thankfully", "thoughtful", "thoughtfully", "thoughtless", "thrilled", "thrilling", "tireless", "tirelessly",
    "tiresome", "totally", "tragic", "tragically", "treacherous", "treasured", "tremendous", "triumphant", "triumphantly", "trustworthy", "ugh", "ugly", "unacceptable", "unbearable",
    "unbearably", "unbeatable", "unbelievable", "unbelievably", "uncanny", "underrated", "underwhelming", "undeserved", "unfairly", "unforgettable", "unforgivable", "unfortunate",
    "unfortunately", "unhelpful", "unimpressive", "uninspired", "unlucky", "unmatched", "unparalleled", "unprofessional", "unreal", "unrivalled", "unsung", "unwatchable", "upbeat", "upsetting",
    "useless", "vicious", "vile", "visionary", "vulgar", "wacky", "weird", "whiny", "whoa", "wholesome", "wicked", "wisely", "witty", "wizardry", "woeful", "wonderful", "wonderfully",
    "wonderous", "wondrous", "worrying", "worthless", "wow", "wretched", "yay", "yikes", "yucky", "yummy", "zealous",
];
/// Phrases that judge.
#[rustfmt::skip]
static JUDGING_PHRASES: PhrasePatterns = PhrasePatterns::new(&[
    "the best|worst|finest|nicest|coolest|greatest|smartest ..3 in|ever", "best|worst|finest of all", "mind blowing|boggling|numbing", "jaw dropping", "awe inspiring", "eye opening", "heart breaking|warming|wrenching", "half baked|assed", "spot on", "top tier", "razor sharp", "best in class", "dream come", "a|an|the|such joy|pleasure|delight|disaster|shame|triumph|hero|legend|jerk|star|gem|miracle|treat|pain|blast|breeze",
    "so|super|really|truly|insanely|extremely|way|very excited|happy|proud|cool|good|bad|nice|fun|smart|easy|annoyed|well|smoothly|badly|slow|sad|funny|kind|pretty|boring|tasty|helpful", "^what a|an", "super cool|smart|fast|easy|fun|-ed|-ful", "of course", "no wonder", "thank god|goodness|heavens",
    "a|the real|total|complete|absolute|true gem|mess|joke|disaster|hero|pain|nightmare|joy|shame", "was|is|looks|looked|sounds|sounded|feels|felt|seems|seemed|tastes|tasted cool|sweet|sick|fun|gross",
    "how nice|lovely|sad|funny|cool|clever|kind|sweet", "very|so|such|quite|rather|truly|really|incredibly|always|most|genuinely|exceedingly|deeply|a|an ..1 kind|brave|honest|patient|humble|lazy|selfish|lovely|sweet|wise|noble|mad|evil|cruel|passionate|enthusiastic|gifted|meticulous|dedicated person|colleague|engineer|developer|programmer|man|woman|boss|manager|friend|teammate|soul|leader|mentor|teacher|one|idea|guy|choice|decision|team|host",
    "is|was|are|were very|so|truly|really|quite|genuinely|deeply|always ..1 kind|brave|honest|patient|humble|sweet|wise|noble|mad|evil|cruel|passionate|promising|confusing|enjoyable|tasty|tedious|lively|rewarding|meticulous|powerful|useful|helpful|interesting|impressed|important", "is|was|are|were|feels|felt|looks|seems brave|wise|evil|cruel|noble|gross|joy|hell|gold|magic|garbage|junk|trash|poetry|unusable|meaningless|satisfying|enjoyable|promising|painful|perfection|art|dope|lit|fire|ace|solid|rocking",
    "deserves|deserved|earned ..3 praise|credit|respect|applause|blame|better|award|medal|recognition|admiration|raise|promotion|thanks|it", "well|beautifully|poorly|badly|expertly|cleanly|neatly|nicely|carefully done|deserved|crafted|executed|earned|thought", "surprisingly|so|really|very|extremely|exceptionally|unusually|remarkably|amazingly well|badly|poorly|good|bad|fast|slow|easy|hard|clean|written|organized|strong|sharp|quick|bright", "good|great|nice|bad|poor|solid|amazing|excellent job|taste|eye|sense|idea|call|thing|luck|news|riddance|grief",
    "smart|wise|bold|brave|poor|stupid|solid|brilliant|good|bad|great|foolish|questionable choice|move|decision|call|idea|moves|choices|decisions", "is|was|were|are right|wrong|foolish|wise|crazy|mad|smart to", "hats|hat off", "thumbs up|down", "top notch", "second to none", "world class", "rock solid", "piece of junk|cake|art|garbage|crap|trash|work", "to die for", "heart|work of gold|art", "real|pure|absolute|utter|complete|total|true|sheer treat|gem|joy|nightmare|garbage|junk|chaos|waste|magic|genius|delight|pleasure|headache|pain|horror|beauty|star|professional|pro|hero|artist|class|madness|nonsense|hell|torture|trash",
    "waste of time|money|space", "is|was|are|were|becomes|became a|an|such ..1 joke|headache|mess|gem|farce|beast|marvel|wonder|delight|triumph|beauty|genius|star|rockstar|wizard|guru|ninja|champion|champ|saint|angel|monster|clown|dinosaur|trainwreck|wreck|torture|horror|blessing|curse|relief|shambles|bargain", "love|loved|adore|adores|adored how|the way|every|everything", "can't|cannot|could not|couldn't be happier|believe|wait|beat|stand|imagine", "like a|an charm|pro|dream|champ|boss|rockstar|nightmare|joke|king|clown", "blew|blows everyone|everybody|the|all|user", "stole|nailed|crushed|killed|rocked|aced|smashed|slayed the|it|this|that|every", "in awe", "control|neat freak", "broken|hopeless|useless beyond", "blown away", "out of this world", "off the charts", "through the roof", "no one|nobody can beat|match|compare", "game changer", "train wreck", "dumpster fire", "thanks|thank to? goodness|god|heaven|you|heavens", "pleased|glad|relieved to say|report|note|announce|see", "sad|sorry to say|report|hear", "shame|pity|too bad that", "it is|was a|such? pity|shame|relief|joy|wonder", "such|what|quite ..1 relief|achievement|feat|talent|pity|waste|joy|character|ride|surprise|disappointment", "more than|beyond ..1 impressive|perfect|words|expectations", "for some|no reason|good", "needless to", "not surprisingly|bad|half", "as always|usual|expected", "simply|just|truly|really|honestly|frankly the|a|an|not|works|awesome|beautiful|better|unbelievable|bad|good|great|wrong|terrible",
]);
/// Words after a judging word that make it a technical term.
#[rustfmt::skip]
const TERMS: &[(&str, &[&str])] = &[
    ("perfect", &["hash", "hashes", "hashing", "square", "squares", "tense", "pitch", "forward", "number", "numbers", "fifth", "competition", "information", "matching"]),
    ("great", &["deal", "grandmother", "grandfather", "circle", "dane", "danes", "basin", "aunt", "uncle", "white", "apes"]),
    ("ugly", &["duckling"]), ("smart", &["home", "card", "phone", "meter", "contract", "contracts", "tv"]), ("nice", &["value", "level"]), ("magical", &["realism"]), ("clever", &["cloud"]),
    ("legendary", &["pokemon"]), ("trash", &["bin", "can"]), ("finest", &["resolution"]), ("smooth", &["jazz", "scrolling", "muscle"]), ("dummy", &["data", "file", "value", "variable"]), ("mess", &["hall"]), ("sad", &["path"]), ("remarkable", &["js"]), ("dumb", &["terminal", "terminals", "waiter"]), ("lucky", &["number", "draw"]),
    ("awesome", &["window", "list", "lists"]), ("genius", &["bar"]), ("remarkable", &["tablet", "tablets"]),
    ("elegant", &["objects"]), ("epic", &["poem", "poems", "story", "ticket", "tickets"]), ("crazy", &["eights"]),
];

#[rustfmt::skip]
static HAN_JUDGING: PhrasePatterns = PhrasePatterns::new(&[
    "太 ..4 了", "真 棒|好|不错|厉害|漂亮|不容易", "超级|超 厉害|棒|好|强|赞|酷", "很 棒|赞|厉害|遗憾|可惜|糟糕|糟", "非常 ..2 棒|成功|出色|漂亮|厉害|糟糕|棒",
    "极了|绝了|绝妙|精彩|出色|完美|了不起|惊人|惊艳", "令人 ..2 叹|佩|赞|喜|动|象深刻|失望|愤怒|发指|作呕", "厉害|牛逼|牛掰|给力|优秀|杰出|卓越|非凡|天才|神奇|神速",
    "可惜|遗憾|不幸|幸好|幸亏|幸运的是|还好|好在|万幸|谢天谢地", "哈哈|呵呵|嘻嘻|嘿嘿|呜呜|哇|哎|唉|哎呀|天哪|笑死|绝绝子|yyds",
    "糟糕|糟透|差劲|烦人|愚蠢|白痴|荒唐|荒谬|恶心|可恶|垃圾|烂透|丢人|丢脸|可笑|可怕|讨厌的|该死|蹩脚|拙劣|离谱", "最棒|最牛|美极|漂亮|美妙|美好|可爱|迷人|伟大|辉煌|赏心悦目|叹为观止|好极",
    "人 真好", "真 讨厌|烦|坏|香|美|丑|酷|牛|糟|差|假|快|慢|爽|可爱|聪明|幸运|可怜|辛苦|好吃", "得 要命|不得了|不行|离谱|一塌糊涂|一团糟", "一团糟|乱七八糟|要命", "值得 敬佩|称赞|表扬|尊敬|赞扬|骄傲",
    "一流|顶级|顶尖|绝佳|极佳|上乘|无敌|无与伦比|独一无二|首屈一指", "最好吃|最美|最漂亮|最差劲|最烂|最可爱|最聪明|最精彩", "聪明地|巧妙地|机智地|愚蠢地|傻傻地|勇敢地|英勇地", "好消息|坏消息|喜讯|噩耗", "丑得|美得|烂得|棒得", "超 兴奋|开心|喜欢|爱|期待|级开心|级喜欢", "～|~~", "好 开心|烦|棒|厉害|可爱|感动|难过|伤心",
    "恼火|窝囊|气人|气死|无语|坑爹|坑人|吐血|崩溃了|神作|神器|神奇|魔法|惨不忍睹|灾难|噩梦|壮举|奇迹|英雄|骄傲|自豪地|钦佩|敬佩|赞叹|佩服", "啦|哟|喔|嘛", "真是|简直|居然|竟然", "干得好",
]);
/// Words that judge after an adverb of degree, 得, or "又 … 又".
macro_rules! han_judged {
    () => {
        "棒|赞|爽|烂|差|糟|美|丑|酷|牛|强大|强悍|强劲|蠢|笨|傻|懒|坏|香|好吃|难吃|好用|难用|好看|难看|好听|难听|好玩|好喝|舒服|舒适|贴心|用心|流畅|丝滑|聪明|善良|体贴|幽默|有趣|无趣|无聊|勤奋|努力|能干|靠谱|可靠|热心|热情|温柔|细心|耐心|自私|贪|小气|大方|慷慨|真诚|诚恳|友善|友好|亲切|随和|粗鲁|傲慢|无礼|专业|敬业|负责|优雅|精致|精美|精妙|精湛|高超|高明|巧妙|出众|突出|漂亮|帅|潇洒|可爱|烦|讨厌|恼人|气人|难受|痛苦|折磨|粗糙|马虎|敷衍|混乱|凌乱|累赘|臃肿|失败|成功|顺利|愉快|开心|兴奋|惊喜|满意|失望|感人|感动|动人|励志|鼓舞|振奋|震撼|有才|才华|有天赋|天赋|有品位|品位|出彩|到位|给力|牛气|伟大|神|离谱|夸张|荒谬|可惜|遗憾|尴尬|丢脸|没用|无能|低级|幼稚|成熟|睿智|明智|英明|果断|勇敢|坚强|坚韧|优秀|杰出|出色"
    };
}
/// Words that are not neutral even in the user's opinion.
#[rustfmt::skip]
static HAN_EXCLAMATIONS: PhrasePatterns = PhrasePatterns::new(&["哈哈|呵呵|嘻嘻|哇|天哪|笑死|yyds|绝绝子|啦|哟|牛逼|～|~~", "太 ..4 了", "啊|呀 $"]);
#[rustfmt::skip]
static HAN_DEGREE: PhrasePatterns = PhrasePatterns::new(&[
    concat!("很|十分|非常|特别|极其|极为|极|格外|相当|实在|尤其|太|挺|蛮|超|超级|真|真的|真是|好|最|最为|无比|异常|如此|这么|那么|多么|颇|颇为|够|贼|巨|死|简直|有点|有些|越来越|更加 ..1 ", han_judged!()),
    concat!("得|地 很|非常|十分|特别|极其|太|挺|真|相当|出奇|惊人|真是|这么|那么|无比|异常|有点? 地|的? ", han_judged!(), "|好|快|漂亮|慢|高|低|稳|细"), concat!("得 ", han_judged!(), " $"), concat!("又 ", han_judged!(), " 又"), concat!("又|既 ~3 又 ", han_judged!()),
    "得 出奇|惊人|要死|要命|不行|不得了|很好|极好|真好|飞起|一流|让人|令人|像 ..1", "让人|令人|叫人 ..3 叹|佩|赞|喜|动|失望|怒|恼|烦|头疼|头痛|头大|抓狂|舒|爽|放心|安心|感|惊|难忘|印象|羡|心|眼|松|脸|尴|窒|崩|抓|捧|陶|沉|振|鼓|满意|窝|气|无语|恶|作呕|反感|生气|愉|着迷|沮|绝望|寒|毛|肃|起敬|遗憾|惋|痛",
    "鼓舞人心|振奋人心|激动人心|扣人心弦|动人|感人|催人|引人入胜|震撼|天籁|混蛋|废铁|废物|蠢货|傻瓜|笨蛋|骗子|人渣|金子般|糟心|闹心|透顶|揪心|扎心|暖心|贴心|走心|良心|松口气|松了口气|脸红|好吃到|哭了|一言难尽|不敢恭维|无可挑剔|完美无|天衣无缝|无懈可击|炉火纯青|出神入化|登峰造极|行云流水|妙不可言|美不胜收|大快人心|不堪入目|不忍直视|不知所云|不可救药|不可理喻|无药可救|莫名其妙|匪夷所思|难以置信|难以忍受|忍无可忍|受不了|叫绝", "点赞 $",
    "优雅|舒心|省心|顺心|窝心|颜面|丢人|出丑|控制狂|狂魔|扫地 $", "优雅|舒心|省心|窝心|颜面|控制狂|工作狂|丢人现眼|扫兴|败兴|寒心|痛心|伤心|用心良苦|苦不堪言|怨声载道|赞不绝口|有口皆碑|一塌糊涂|漏洞百出|错误百出|名不虚传|毫无意义|一无是处|一文不值", "果然|总算|竟|居然|简直|到底还是|不愧|堪称|堪比|可谓|活该|难怪|怪不得|当之无愧|实至名归|名副其实|大名鼎鼎|赫赫有名|众望所归|太过|未免|纯属|压根|明智|睿智|英明|机智|才华|天赋|聪明|善良|体贴|勤劳|能干|靠谱|愚昧|无知|无耻|卑鄙|懒惰|懒散|贪婪|贪心|自私自利|虚伪|狡猾|阴险|恶劣|低劣|劣质|破烂|破旧不堪|难吃|难看|难听|难用|鸡肋|奇葩|奇迹般|史诗|里程碑式|教科书级|大师级|神级|殿堂级|骨灰级|业界良心|宝藏|宝贝|瑰宝|杰作|佳作|力作|败笔|败类|笑话|笑柄|闹剧|悲剧|惨剧|惨败|惨痛|惨|完胜|碾压|吊打|秒杀|爆款|炸裂|炸了|爆棚|爆表|绝了|封神|YYDS",
    "啊|呀|呐|哎|哦|噢|咯|呗 $", "功不可没|功德无量|居功|贡献 巨大|卓著", "值得 ..2 点赞|学习|称道|信赖|拥有|推荐|敬|赞|尊|骄", "辛苦 了", "给 ..2 点赞|点个赞|好评|差评 $", "干得|做得|写得|讲得|说得|用得|办得|搞得|弄得|演得|唱得|画得|跑得|设计得 很|真|太|非常|特别|那么|这么|十分|漂亮|好|棒|烂|差|糟|精|出|一|像|让|令|天|惊",
]);
#[rustfmt::skip]
const HAN_TERMS: &[&str] = &[
    "垃圾回收", "垃圾邮件", "垃圾分类", "垃圾桶", "垃圾袋", "垃圾收集", "垃圾处理", "垃圾短信", "完美哈希", "完美主义", "完美世界", "优秀毕业生",
    "优秀员工", "优秀奖", "优秀学生", "优秀论文", "神奇动物", "神奇女侠", "卓越亚马逊", "可爱多", "美好生活", "伟大航路", "天才班", "拉啦", "啦啦队",
    "杰出青年", "哇哈哈", "嘛呢", "死锁", "成功率", "成功后", "成功地", "负责人", "专业人士", "专业版", "专业课", "最坏情况", "最差情况", "最好成绩", "太极", "太阳", "太平洋", "太湖",
    "极简", "极客", "很少", "有点击", "有些微", "真实", "真正", "真值", "最终", "好友", "好像", "好几", "好转", "够用", "死亡", "天赋人权", "惨案", "竞争", "究竟", "毕竟", "宝贝回家", "炸裂声",
];
const SMILEYS: &[&str] =
    &[":)", ":-)", ":(", ":-(", ":D", ":-D", ";)", ";-)", "<3", "^_^", "xD", "XD", ":P", "T_T", ":/"];

/// The first judging word, exclamation or emoji.
pub fn check_tone(input: &GuardText<'_>) -> Option<GuardFinding> {
    let finding = |what: &str| Some(GuardFinding::new(Violation::NotNeutral, what));
    if let Some(c) = input.prose.chars().find(|c| is_emoji(*c)) {
        return finding(&c.to_string());
    }
    if let Some(at) = exclamation_at(input.prose) {
        let start = input.prose[..at].char_indices().rev().nth(12).map_or(0, |(n, _)| n);
        return finding(input.prose[start..].split_inclusive(['!', '！']).next().unwrap_or("!"));
    }
    if let Some(smiley) = input.prose.split_whitespace().find(|w| SMILEYS.contains(&w.trim_end_matches('.'))) {
        return finding(smiley);
    }
    for (sentence, tokens) in input.english_sentences() {
        if let Some(i) = (0..tokens.len()).find(|i| is_judging_word(sentence, tokens, *i)) {
            return finding(tokens[i].surface);
        }
        if let Some(range) = JUDGING_PHRASES.find(tokens) {
            return finding(matched_text(sentence, tokens, range));
        }
    }
    let clear = if input.han { mask_phrases(input.prose, HAN_TERMS) } else { return None };
    let mut clauses = clear.split(['。', '；']);
    let is_user_opinion = |clause: &str| HAN_USER_OPINION.find_unspaced(clause).is_some();
    clauses
        .find_map(|clause| {
            if is_user_opinion(clause) {
                HAN_EXCLAMATIONS.find_unspaced(clause)
            } else {
                HAN_JUDGING.find_unspaced(clause).or_else(|| HAN_DEGREE.find_unspaced(clause))
            }
        })
        .and_then(finding)
}

/// Words that mark a judgement as the user's own, which is a fact: "User prefers simple code over clever code".
static USER_OPINION: PhrasePatterns = PhrasePatterns::new(&[
    "user|team ..2 prefers|preferred|dislikes|disliked|wants|wanted|values|valued|avoids|avoided|considers|considered|finds|found|thinks|thought|believes|believed|describes|described|says|said|rates|rated|asks|asked|requests|requested|expects|expected|complained|complains|called|calls|feels|felt|hates|fears|feared",
]);
static HAN_USER_OPINION: PhrasePatterns = PhrasePatterns::new(&[
    "用户|团队 ..6 认为|觉得|希望|偏好|要求|形容|评价|主张|担心|不喜欢|讨厌|反对|避免|反感|抱怨",
]);

/// Adverbs in -ingly that do not judge.
#[rustfmt::skip]
const NEUTRAL_ADVERBS: &[&str] = &[
    "increasingly", "accordingly", "seemingly", "correspondingly", "knowingly", "unknowingly", "willingly", "unwillingly", "sparingly", "jokingly", "singly", "decreasingly", "wirelessly", "passwordlessly", "serverlessly", "statelessly", "endlessly", "locklessly", "losslessly", "regardlessly",
];

fn is_judging_word(sentence: &str, tokens: &[WordToken<'_>], i: usize) -> bool {
    let token = &tokens[i];
    let word = token.text.as_str();
    let adverb =
        word.len() > 7 && ["ingly", "lessly"].iter().any(|end| word.ends_with(end)) && !NEUTRAL_ADVERBS.contains(&word);
    let judging = adverb || JUDGING_WORDS.binary_search(&word).is_ok();
    if !judging || USER_OPINION.find(&tokens[..i]).is_some() {
        return false;
    }
    let next = tokens.get(i + 1);
    let is_name = is_capitalized(token.surface)
        && sentence.get(token.at + token.surface.len()..).is_some_and(|s| !s.starts_with(','))
        && (i > 0 && !sentence[..token.at].trim_end().ends_with(':')
            || next.is_some_and(|t| is_capitalized(t.surface)));
    let joined = sentence[token.at + token.surface.len()..].starts_with('-') || sentence[..token.at].ends_with('-');
    let term =
        TERMS.iter().any(|(word, after)| *word == token.text && next.is_some_and(|t| after.contains(&t.text.as_str())));
    !(is_name || joined || term)
}

/// The byte offset of an exclamation mark that ends an exclamation; not `!=`, `println!(`, `Yahoo!`, `![image]`.
fn exclamation_at(prose: &str) -> Option<usize> {
    prose.char_indices().filter(|(_, c)| matches!(c, '!' | '！')).map(|(at, _)| at).find(|at| {
        let (before, after) = (&prose[..*at], &prose[*at..]);
        let code =
            after.starts_with("!=") || after.starts_with("![") || after.starts_with("!(") || after.starts_with("!_");
        let names = ["Yahoo", "Jeopardy", "Yum", "Mamma Mia"].iter().any(|n| before.ends_with(n));
        let negates = after.strip_prefix('!').is_some_and(|a| a.starts_with(|c: char| c.is_ascii_alphanumeric()));
        !(code || names || negates)
    })
}

fn is_emoji(c: char) -> bool {
    match c as u32 {
        0x2610..=0x2612 | 0x2713..=0x2718 => false,
        0x1F300..=0x1FAFF
        | 0x1F1E6..=0x1F1FF
        | 0x2600..=0x27BF
        | 0x2B50
        | 0x2B55
        | 0x203C
        | 0x2049
        | 0x3297
        | 0x3299 => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(JUDGING_WORDS.windows(2).all(|w| w[0] < w[1]));
    }
}
