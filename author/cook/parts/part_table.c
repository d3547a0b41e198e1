/* SPDX-License-Identifier: MIT */
/* The table of parts. To teach a new word, add it here: ASCII words in lower case without accents. Words in other
 * scripts match anywhere in a name, so they must be specific; the longest one wins. */
#include "author/cook/parts/part_table.h"

#include <strings.h>

/* Columns: name; amplitude; min and max frequency; settling time; core depth; core length; rigid. */
static const sn_flesh_preset presets[SN_FLESH_KIND_COUNT] = {
    [SN_FLESH_GENERIC] = {"flesh", 0.010, 1.5, 15, 0.5, 0.35, 1, false, "", ""},

    [SN_FLESH_HARD] = {"hard", 0, 0, 0, 0, 1, 1, true,
                       "helmet helm armor armour armors plate platemail chainmail mail cuirass breastplate pauldron "
                       "gauntlet greave vambrace sabaton shoulderpad shoulderpads kneepad elbowpad metal steel iron "
                       "chrome brass bronze sword shield axe hammer mace spear lance dagger knife blade staff wand gun "
                       "rifle pistol weapon arrow quiver crossbow glass glasses sunglasses eyeglasses goggles visor "
                       "monocle lens boot boots shoe shoes sandal sandals heels buckle button buttons zipper badge "
                       "medal jewel jewelry jewellery gem crystal crown tiara earring earrings necklace bracelet "
                       "bangle brooch watch headphone headphones headset phone mask cap horn horns antler antlers hoof "
                       "hooves claw claws beak bill tusk tusks shell carapace backpack bag pouch satchel holster "
                       "wheel handle hairpin hairclip hairclips hairband headband collarbell bell pipe camera tool "
                       "barrette robot mech mecha "
                       "helme rustung ruestung panzer schwert schild brille stiefel schuh schuhe schnalle knopf waffe "
                       "rucksack schnabel huf "
                       "casque armure epee bouclier lunettes botte bottes chaussure chaussures boucle bouton "
                       "couronne corne sabot masque "
                       "casco armadura espada escudo gafas lentes bota botas zapato zapatos hebilla corona cuerno "
                       "pezuna mascara elmo spada scudo occhiali stivale scarpa oculos sapato "
                       "兜 鎧 ヘルメット 剣 刀 盾 武器 メガネ 眼鏡 めがね ブーツ 靴 ボタン 鞄 カバン 仮面 ヘッドホン "
                       "头盔 頭盔 盔甲 铠甲 鎧甲 剑 劍 眼镜 鞋 靴子 背包 面具 耳环 耳環 "
                       "투구 헬멧 갑옷 칼 방패 안경 신발 부츠 배낭 단추 가면 귀걸이 목걸이",
                       ""},
    [SN_FLESH_STRAP] = {"strap", 0, 0, 0, 0, 1, 1, true,
                        "strap straps belt belts harness suspender suspenders garter sling lanyard bandolier choker "
                        "gurtel guertel riemen hosentrager ceinture bretelle sangle cinturon correa tirante "
                        "cinto ベルト 腰带 腰帶 皮带 벨트 끈",
                        ""},
    /* The first list is of what hangs; the second, for bones only, also has garments that may fit tightly. */
    [SN_FLESH_CLOTH] = {"cloth", 0.030, 0.8, 8, 0.8, 0.35, 0, false,
                        "cape cloak skirt kilt veil scarf shawl poncho frill ribbon ruffle loincloth tabard banner "
                        "curtain necktie tie bowtie bow sash tassel brim hat coattail coattails sail "
                        "umhang schal hut krawatte jupe cravate echarpe chapeau voile "
                        "falda capa bufanda sombrero corbata gonna mantello sciarpa cappello saia "
                        "スカート マント ケープ リボン ネクタイ マフラー 帽子 ひらひら "
                        "裙 披风 披風 斗篷 围巾 圍巾 领带 領帶 飘带 飄帶 치마 망토 목도리 넥타이 모자 리본",
                        "cloth dress robe gown apron hood sleeve flag fringe petticoat hem train coat jacket "
                        "mantel kleid kapuze schurze schuerze armel aermel capuche manche ruban tablier "
                        "vestido capucha manga cinta delantal cappuccio "
                        "袖 裾 フード エプロン ドレス 衣摆 衣襬 袖子 소매 코트"},
    [SN_FLESH_HAIR] =
        {"hair", 0.030, 0.8, 8, 0.8, 0.35, 0.3, false,
         "hair hairs fronthair backhair sidehair longhair hairbase hairtip bang bangs ponytail pigtail "
         "pigtails twintail braid braids bun ahoge sidelock "
         "forelock fringehair tuft fur mane beard mustache moustache whisker whiskers goatee feather "
         "feathers plume dreadlock dreads "
         "haar haare zopf bart mahne maehne schnurrhaar feder "
         "cheveux cheveu meche tresse barbe criniere plume "
         "pelo cabello trenza barba coleta melena pluma capelli treccia cabelo "
         "髪 前髪 後髪 横髪 もみあげ アホ毛 ツインテ ポニテ おさげ 三つ編み ヒゲ ひげ "
         "头发 頭髮 头髮 刘海 瀏海 辫 辮 长发 長髮 马尾 馬尾 胡子 鬍子 머리카락 머리칼 앞머리 뒷머리 옆머리 수염",
         ""},

    [SN_FLESH_EAR] =
        {"ears", 0.030, 1, 10, 0.7, 0.35, 0.5, false,
         "ear ears earbase eartip antenna antennae feeler ohr ohren oreille oreilles oreja orejas orecchio orecchie "
         "orelha 耳 耳朵 귀",
         ""},
    [SN_FLESH_TAIL] = {"tail", 0.030, 0.8, 8, 0.7, 0.35, 0.6, false,
                       "tail foxtail cattail tailbase tailtip schwanz schweif queue cola coda cauda rabo 尻尾 しっぽ "
                       "シッポ 尾巴 尾 꼬리",
                       ""},
    [SN_FLESH_TENTACLE] = {"tentacles", 0.025, 0.8, 8, 0.7, 0.35, 1, false,
                           "tentacle tentacles tendril trunk proboscis tentakel fangarm russel ruessel tentacule "
                           "trompe tentaculo trompa 触手 觸手 촉수",
                           ""},
    [SN_FLESH_WING] = {"wings", 0.015, 1, 10, 0.6, 0.35, 1, false,
                       "wing wings wingbase wingtip flugel fluegel aile ailes ala alas asa 羽 翼 翅膀 날개", ""},
    [SN_FLESH_FIN] = {"fins", 0.020, 1, 10, 0.6, 0.35, 1, false,
                      "fin fins flipper flippers fluke flukes dorsal pectoral flosse flossen nageoire nageoires aleta "
                      "aletas ヒレ ひれ 鳍 鰭 지느러미",
                      ""},

    [SN_FLESH_FACE] = {"face", 0, 0, 0, 0, 1, 1, true,
                       "face facial eye eyes eyeball eyelid eyelash lash lid brow brows eyebrow jaw chin mouth lip "
                       "lips tooth teeth tongue nose nostril snout muzzle temple iris pupil gums sclera "
                       "gesicht auge augen lid braue wimper kiefer kinn mund lippe zahn zahne zaehne zunge nase "
                       "schnauze stirn "
                       "visage oeil yeux paupiere sourcil cil machoire menton bouche levre dent dents langue nez "
                       "museau "
                       "cara ojo ojos parpado ceja pestana mandibula barbilla boca labio diente dientes lengua nariz "
                       "frente hocico occhio bocca naso olho "
                       "顔 目 瞳 眉 まぶた まつげ 口 歯 舌 あご 顎 鼻 白目 "
                       "脸 臉 眼 眼睛 眼球 眉毛 睫毛 嘴 牙 牙齿 舌头 下巴 얼굴 눈 눈썹 입 이빨 혀 턱 코",
                       ""},
    [SN_FLESH_HEAD] =
        {"head", 0, 0, 0, 0, 1, 1, true,
         "head headtop skull cranium kopf schadel schaedel tete crane cabeza craneo testa cabeca 頭 头 머리", ""},
    [SN_FLESH_CHEEKS] = {"cheeks", 0.012, 1.5, 10, 0.4, 0.35, 1, false,
                         "cheek cheeks jowl jowls wange wangen backe joue joues mejilla mejillas cachete guancia "
                         "頬 ほっぺ 脸颊 臉頰 볼살",
                         ""},
    [SN_FLESH_NECK] = {"neck", 0.003, 2, 20, 0.4, 0.45, 1, false,
                       "neck throat hals nacken cou cuello collo pescoco 首 颈 頸 脖 脖子 목", ""},
    [SN_FLESH_SHOULDERS] = {"shoulders", 0.004, 2, 20, 0.4, 0.45, 1, false,
                            "shoulder shoulders clavicle clavicles clav collar collarbone scapula shldr schulter "
                            "schlusselbein epaule clavicule hombro clavicula spalla ombro 肩 锁骨 鎖骨 어깨",
                            ""},
    [SN_FLESH_UPPER_ARMS] = {"upper arms", 0.010, 1.5, 15, 0.4, 0.35, 1, false,
                             "upperarm uparm bicep biceps tricep triceps humerus upperfrontleg oberarm brassuperieur "
                             "上腕 上臂 大臂 위팔 상완",
                             "arm arms bras brazo braccio braco 腕 臂 팔"},
    [SN_FLESH_FOREARMS] = {"forearms", 0.004, 2, 20, 0.4, 0.40, 1, false,
                           "forearm lowerarm lowarm elbow radius ulna unterarm ellbogen avantbras coude antebrazo codo "
                           "avambraccio ひじ 肘 ヒジ 手捩 前臂 小臂 下臂 아래팔 전완 팔꿈치",
                           ""},
    [SN_FLESH_HANDS] =
        {"hands", 0, 0, 0, 0, 1, 1, true,
         "hand hands handtip wrist palm finger fingers thumb index pinky pinkie ringfinger littlefinger "
         "metacarpal knuckle paw paws pfote finger daumen handgelenk poignet doigt pouce maingauche "
         "maindroite mano muneca dedo pulgar dito mao 手 手首 指 親指 人指 中指 薬指 小指 手腕 手掌 拇指 "
         "손 손목 손가락",
         ""},
    [SN_FLESH_BREASTS] = {"breasts", 0.020, 1.5, 8, 0.5, 0.35, 0.3, false,
                          "breast breasts boob boobs bust bosom tit tits pec pecs nipple udder busen brueste bruste "
                          "seins sein pechos seno senos おっぱい 乳 胸部 乳房 バスト 가슴",
                          ""},
    [SN_FLESH_CHEST] = {"chest", 0.020, 1.5, 12, 0.5, 0.35, 1, false,
                        "chest ribcage rib ribs thorax upperchest sternum brust brustkorb poitrine pecho torax petto "
                        "peito 胸 흉부",
                        ""},
    [SN_FLESH_BELLY] = {"belly", 0.022, 1.5, 10, 0.5, 0.35, 1, false,
                        "belly stomach tummy abdomen abdomens paunch gut bauch wampe ventre vientre panza "
                        "pancia barriga 腹 お腹 おなか 肚子 肚 배",
                        ""},
    [SN_FLESH_BACK] = {"back", 0.005, 2, 20, 0.4, 0.40, 1, false,
                       "back rucken ruecken dos espalda schiena costas 背中 背 등", ""},
    [SN_FLESH_BUTTOCKS] = {"buttocks", 0.020, 1.5, 10, 0.5, 0.35, 1, false,
                           "buttock buttocks butt glute glutes gluteus rump booty gesass gesaess hintern fesse fesses "
                           "nalga nalgas gluteo culo 尻 お尻 おしり ヒップ 臀 屁股 엉덩이",
                           ""},
    [SN_FLESH_TORSO] = {"torso", 0.012, 1.5, 15, 0.5, 0.35, 1, false,
                        "spine torso hips hip pelvis waist body trunkbody ribspine wirbelsaule wirbelsaeule becken "
                        "hufte huefte taille rumpf colonne bassin hanche hanches tronc cadera caderas columna torso "
                        "cintura bacino "
                        "上半身 下半身 腰 脊椎 脊柱 盆骨 骨盆 胯 척추 골반 허리",
                        ""},
    [SN_FLESH_THIGHS] = {"thighs", 0.012, 1.5, 12, 0.4, 0.35, 1, false,
                         "thigh thighs upleg upperleg femur haunch oberschenkel cuisse muslo coscia coxa 太もも 大腿 "
                         "허벅지",
                         "leg legs bein jambe pierna gamba perna 足 腿 다리"},
    [SN_FLESH_SHINS] = {"shins", 0.004, 2, 20, 0.4, 0.40, 1, false,
                        "shin shins calf calves lowerleg lowleg knee tibia fibula hock cannon fetlock unterschenkel "
                        "wade knie mollet tibia genou pantorrilla espinilla rodilla polpaccio ひざ 膝 すね 小腿 종아리 "
                        "무릎",
                        ""},
    [SN_FLESH_FEET] =
        {"feet", 0, 0, 0, 0, 1, 1, true,
         "foot feet foottip toe toes toebase ankle heel ball pastern sole fuss fusse knochel zeh zehe zehen ferse "
         "pied pieds cheville orteil orteils pie pies tobillo piede caviglia pe 足首 つま先 爪先 足先 "
         "脚 腳 脚踝 脚趾 발 발목 발가락",
         ""},
};

const sn_flesh_preset *sn_flesh_preset_of(sn_flesh_kind kind)
{
    return &presets[kind];
}

sn_flesh_kind sn_flesh_kind_find(const char *name)
{
    int kind = 0;
    while (kind < SN_FLESH_KIND_COUNT && strcasecmp(presets[kind].name, name) != 0) {
        ++kind;
    }
    return (sn_flesh_kind)kind;
}
